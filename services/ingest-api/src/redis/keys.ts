import type { V2EventType } from '@tributary/contracts/public/v2-events';

/** A key means something within one tenant and one event type (interface 4.1 rule 8). */
export type ReservationScope = {
  tenantId: string;
  eventType: V2EventType;
  /** As compared: trimmed. */
  idempotencyKey: string;
};

/** A tenant id holds no `:`, an event type neither; the key comes last and may hold anything. */
export function reservationKey(prefix: string, scope: ReservationScope): string {
  return `${prefix}idempotency:${scope.tenantId}:${scope.eventType}:${scope.idempotencyKey}`;
}

/** The sentinel, see scripts.ts. */
export function completenessKey(prefix: string): string {
  return `${prefix}idempotency-complete`;
}

/** Milliseconds of the epoch when the store was last known to be complete. */
export function lastCompleteKey(prefix: string): string {
  return `${prefix}idempotency-last-complete`;
}

/** Held by the one replica that rebuilds. */
export function rebuildLockKey(prefix: string): string {
  return `${prefix}idempotency-rebuild`;
}
