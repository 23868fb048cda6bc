import { hash } from 'node:crypto';
import type { V2EventType } from '@tributary/contracts/public/v2-events';

/** A key means something within one tenant and one event type (interface 4.1 rule 8). */
export type ReservationScope = {
  tenantId: string;
  eventType: V2EventType;
  /** As compared: trimmed. */
  idempotencyKey: string;
};

/**
 * What the keys of each part of the key space begin with. A script touches the keys of one part,
 * and each part has its own sentinel and is rebuilt by itself.
 */
export type KeySpace = readonly string[];

/** For one server: a single part. Short, as it is in each key. */
export function undivided(prefix: string): string {
  return `${prefix}i:`;
}

/** For a cluster: the hash tag puts each part into one slot. */
export function divided(prefix: string): KeySpace {
  return clusterSlots.map(({ tag }) => `${undivided(prefix)}{${tag}}`);
}

/**
 * Hash tags in the middle of each twelfth of the slots: 3, 4, 6 or 12 nodes that share the slots
 * evenly have equally many.
 */
export const clusterSlots = [
  { tag: 'cc', slot: 700 },
  { tag: 'f1', slot: 2_046 },
  { tag: '58', slot: 3_387 },
  { tag: 'e1', slot: 4_781 },
  { tag: 'f0', slot: 6_111 },
  { tag: 'fe', slot: 7_567 },
  { tag: 'e2', slot: 8_910 },
  { tag: 'ec', slot: 10_266 },
  { tag: 'fb', slot: 11_624 },
  { tag: '08', slot: 13_006 },
  { tag: 'c1', slot: 14_347 },
  { tag: 'fc', slot: 15_689 },
] as const;

/**
 * The key of a reservation and the number of its part. 128 bits of a digest: as short for a key of
 * 255 characters as for one of 20. Nobody gains by two of his own keys that meet, and the tenant
 * is digested with them.
 */
export function reservationKey(
  space: KeySpace,
  scope: ReservationScope,
): { part: number; key: Buffer } {
  // A tenant id holds no `:`, an event type neither; the key comes last and may hold anything.
  const text = `${scope.tenantId}:${scope.eventType}:${scope.idempotencyKey}`;
  const digest = hash('sha256', text, 'buffer');
  const part = space.length === 1 ? 0 : digest.readUInt32BE(16) % space.length;
  const begin = Buffer.from(space[part]!, 'utf8');
  return { part, key: Buffer.concat([begin, digest.subarray(0, 16)]) };
}

/** The sentinel of a part, see scripts.ts. */
export function completenessKey(part: string): string {
  return `${part}complete`;
}

/** Milliseconds of the epoch when the part was last known to be complete. */
export function lastCompleteKey(part: string): string {
  return `${part}last-complete`;
}

/** Held by the one replica that rebuilds the part. */
export function rebuildLockKey(part: string): string {
  return `${part}rebuild`;
}

/** What the earlier release has in place of these; it knew reservations by longer keys. */
export function earlierKeys(prefix: string): { complete: string; rebuildLock: string } {
  return {
    complete: `${prefix}idempotency-complete`,
    rebuildLock: `${prefix}idempotency-rebuild`,
  };
}
