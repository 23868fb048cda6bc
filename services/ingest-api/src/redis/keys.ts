import { createHash } from 'node:crypto';
import type { V2EventType } from '@tributary/contracts/public/v2-events';

/** A key means something within one tenant and one event type (interface 4.1 rule 8). */
export type ReservationScope = {
  tenantId: string;
  eventType: V2EventType;
  /** As compared: trimmed. */
  idempotencyKey: string;
};

/** Short, as it is in each key. */
const space = 'i:';

/**
 * 128 bits of a digest: as short for a key of 255 characters as for one of 20. Nobody gains by
 * two of his own keys that meet, and the tenant is digested with them.
 */
export function reservationKey(prefix: string, scope: ReservationScope): Buffer {
  // A tenant id holds no `:`, an event type neither; the key comes last and may hold anything.
  const text = `${scope.tenantId}:${scope.eventType}:${scope.idempotencyKey}`;
  const digest = createHash('sha256').update(text, 'utf8').digest();
  return Buffer.concat([Buffer.from(prefix + space, 'utf8'), digest.subarray(0, 16)]);
}

/** The sentinel, see scripts.ts. */
export function completenessKey(prefix: string): string {
  return `${prefix}${space}complete`;
}

/** Milliseconds of the epoch when the store was last known to be complete. */
export function lastCompleteKey(prefix: string): string {
  return `${prefix}${space}last-complete`;
}

/** Held by the one replica that rebuilds. */
export function rebuildLockKey(prefix: string): string {
  return `${prefix}${space}rebuild`;
}

/** What the earlier release has in place of these; it knew reservations by longer keys. */
export function earlierKeys(prefix: string): { complete: string; rebuildLock: string } {
  return {
    complete: `${prefix}idempotency-complete`,
    rebuildLock: `${prefix}idempotency-rebuild`,
  };
}
