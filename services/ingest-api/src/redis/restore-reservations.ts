import type { EventRecord } from '@tributary/contracts/event-record';
import type { Warning } from '@tributary/contracts/warning';
import { isV2EventType } from '@tributary/contracts/public/v2-events';
import type { Clock } from '@tributary/runtime/clock';
import type { Redis } from 'ioredis';
import { idempotencyWindowMs } from './idempotency-store.ts';
import { type KeySpace, rebuildLockKey, reservationKey } from './keys.ts';
import { type Reservation, reservationValue, shortFingerprint } from './reservation.ts';
import { redisScripts } from './scripts.ts';

/** Reads the events appended since a time, up to the present end of the log. */
export type ReadKeyedEvents = (options: {
  sinceMs: number;
  signal: AbortSignal;
  onEvent: (event: EventRecord) => Promise<void>;
}) => Promise<void>;

const batchSize = 500;

/**
 * Puts the keys of accepted events back, as `done`, for what is left of their 72 hours, in the
 * parts that are asked for. Gives how many it wrote.
 */
export async function restoreReservations(options: {
  space: KeySpace;
  /** Where each part is that this process rebuilds; one that was given up is missing. */
  redisOf: (part: number) => Redis | undefined;
  /** Told when a part cannot be written, or its lock is lost. */
  giveUp: (part: number, error: Error) => void;
  lock: { token: string; lockMs: number };
  readKeyedEvents: ReadKeyedEvents;
  sinceMs: number;
  clock: Clock;
  signal: AbortSignal;
}): Promise<number> {
  const { space, redisOf, giveUp, lock, readKeyedEvents, sinceMs, clock, signal } = options;
  const batches = new Map<number, Found[]>();
  let restored = 0;

  async function write(part: number): Promise<void> {
    signal.throwIfAborted();
    const batch = batches.get(part) ?? [];
    const redis = redisOf(part);
    batches.delete(part);
    if (batch.length === 0 || redis === undefined) return;
    try {
      const held = await redis.eval(
        redisScripts.restoreKeys,
        batch.length + 1,
        rebuildLockKey(space[part]!),
        ...batch.map(({ key }) => key),
        lock.token,
        lock.lockMs,
        ...batch.flatMap(({ value, expiresAtMs }) => [value, expiresAtMs]),
      );
      if (held !== 1) throw new Error('the rebuild lost its lock');
      restored += batch.length;
    } catch (error) {
      giveUp(part, error as Error);
    }
  }

  await readKeyedEvents({
    sinceMs,
    signal,
    onEvent: async (event) => {
      const found = toFound(event, space, clock.now().getTime());
      if (!found || redisOf(found.part) === undefined) return;
      const batch = batches.get(found.part) ?? [];
      batches.set(found.part, batch);
      batch.push(found);
      // A reader of the log retries what its consumer throws; `signal` ends it instead.
      if (batch.length >= batchSize) await write(found.part).catch(() => undefined);
    },
  });
  for (const part of [...batches.keys()]) await write(part);
  return restored;
}

type Found = { part: number; key: Buffer; value: Buffer; expiresAtMs: number };

function toFound(event: EventRecord, space: KeySpace, nowMs: number): Found | undefined {
  const { tenantId, eventType, source, idempotency, eventId, receivedAt, warnings = [] } = event;
  if (source !== 'v2' || idempotency === undefined || !isV2EventType(eventType)) return undefined;
  const expiresAtMs = Date.parse(receivedAt) + idempotencyWindowMs;
  if (expiresAtMs <= nowMs) return undefined;
  const reservation: Reservation = {
    fingerprint: shortFingerprint(idempotency.fingerprint),
    eventId,
    receivedAt,
    warnings: warnings as Warning[],
    state: 'done',
  };
  const scope = { tenantId, eventType, idempotencyKey: idempotency.key };
  return {
    ...reservationKey(space, scope),
    value: reservationValue(reservation),
    expiresAtMs,
  };
}
