import type { EventRecord } from '@tributary/contracts/event-record';
import type { Warning } from '@tributary/contracts/warning';
import { isV2EventType } from '@tributary/contracts/public/v2-events';
import type { Clock } from '@tributary/runtime/clock';
import type { Redis } from 'ioredis';
import { idempotencyWindowMs } from './idempotency-store.ts';
import { reservationKey } from './keys.ts';
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
 * Puts the keys of accepted events back, as `done`, for what is left of their 72 hours. Gives how
 * many it wrote. Throws when the lock is lost.
 */
export async function restoreReservations(options: {
  redis: Redis;
  keyPrefix: string;
  lock: { key: string; token: string; lockMs: number };
  readKeyedEvents: ReadKeyedEvents;
  sinceMs: number;
  clock: Clock;
  signal: AbortSignal;
}): Promise<number> {
  const { redis, keyPrefix, lock, readKeyedEvents, sinceMs, clock } = options;
  // A reader of the log retries what its consumer throws; a failed write must end it instead.
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  let batch: Found[] = [];
  let restored = 0;

  const write = async (): Promise<void> => {
    signal.throwIfAborted();
    if (batch.length === 0) return;
    const held = await redis.eval(
      redisScripts.restoreKeys,
      batch.length + 1,
      lock.key,
      ...batch.map(({ key }) => key),
      lock.token,
      lock.lockMs,
      ...batch.flatMap(({ value, expiresAtMs }) => [value, expiresAtMs]),
    );
    if (held !== 1) throw new Error('the rebuild lost its lock');
    restored += batch.length;
    batch = [];
  };

  await readKeyedEvents({
    sinceMs,
    signal,
    onEvent: async (event) => {
      const found = toFound(event, keyPrefix, clock.now().getTime());
      if (!found) return;
      batch.push(found);
      if (batch.length >= batchSize) await write().catch((error: unknown) => failed.abort(error));
    },
  });
  await write();
  return restored;
}

type Found = { key: Buffer; value: Buffer; expiresAtMs: number };

function toFound(event: EventRecord, keyPrefix: string, nowMs: number): Found | undefined {
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
    key: reservationKey(keyPrefix, scope),
    value: reservationValue(reservation),
    expiresAtMs,
  };
}
