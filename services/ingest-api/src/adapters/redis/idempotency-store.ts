import type { Warning } from '@tributary/contracts/warning';
import type { Clock } from '@tributary/runtime/clock';
import type { Logger } from '@tributary/runtime/logger';
import type { Redis } from 'ioredis';
import { createGather } from './gather.ts';
import { completenessKey, reservationKey, type ReservationScope } from './keys.ts';
import { redisScripts } from './scripts.ts';

/**
 * Which request a key belongs to, for 72 hours (interface 4.1 rules 7 to 11, design 5).
 *
 * A reservation is `pending` from before the append until after its ack, then `done`. Reserve,
 * append, done, in this order: a crash in between can leave a copy of a record on the log (readers
 * drop it by `eventId`), never lose an event or give one key two of them. While the store is not
 * complete (flushed, restarted, gone) it reserves nothing.
 */
export type Reservation = {
  fingerprint: string;
  eventId: string;
  receivedAt: string;
  warnings: Warning[];
  state: 'pending' | 'done';
};

export type Reserved =
  /** The key was free and is now held by what was given. */
  | { outcome: 'reserved' }
  | { outcome: 'held'; by: Reservation }
  /** No answer is possible now; nothing was reserved, or only what a retry will find again. */
  | { outcome: 'unavailable'; detail: string };

export type IdempotencyStore = {
  reserve(scope: ReservationScope, reservation: Reservation): Promise<Reserved>;
  /** After the ack. In the background: until it succeeds the key is `pending`, which is as safe. */
  complete(scope: ReservationScope, reservation: Reservation): void;
};

export const idempotencyWindowMs = 72 * 3_600_000;

export function createIdempotencyStore(options: {
  redis: Redis;
  /** Put before every key, for several deployments on one server. */
  keyPrefix: string;
  /** Run id of the server behind the present connection; undefined while it is not usable. */
  runId: () => string | undefined;
  /** Told when the store turns out not to be complete. */
  onIncomplete: () => void;
  clock: Clock;
  logger: Logger;
}): IdempotencyStore {
  const { redis, keyPrefix, runId, onIncomplete, clock, logger } = options;

  const reserveGathered = createGather<Wanted, Reserved>({
    maxItems: 200,
    send: async (wanted) => {
      const run = runId();
      if (run === undefined) return wanted.map(() => unavailable('redis does not answer'));
      const before = (await redis.eval(
        redisScripts.reserveKeys,
        wanted.length + 1,
        completenessKey(keyPrefix),
        ...wanted.map(({ key }) => key),
        run,
        idempotencyWindowMs,
        ...wanted.map(({ value }) => value),
      )) as (string | null)[] | null;
      if (before === null) {
        onIncomplete();
        return wanted.map(() => unavailable('the idempotency keys are being rebuilt from the log'));
      }
      return before.map(toReserved);
    },
  });

  const completeGathered = createGather<Wanted & { eventId: string; ttlMs: number }, void>({
    maxItems: 200,
    send: async (wanted) => {
      await redis.eval(
        redisScripts.completeKeys,
        wanted.length,
        ...wanted.map(({ key }) => key),
        ...wanted.flatMap(({ eventId, value, ttlMs }) => [eventId, value, ttlMs]),
      );
      return wanted.map(() => undefined);
    },
  });

  return {
    reserve(scope, reservation) {
      const key = reservationKey(keyPrefix, scope);
      return reserveGathered({ key, value: JSON.stringify(reservation) }).catch((error: Error) =>
        unavailable(error.message),
      );
    },

    complete(scope, reservation) {
      const ttlMs =
        Date.parse(reservation.receivedAt) + idempotencyWindowMs - clock.now().getTime();
      if (ttlMs <= 0) return;
      const done: Reservation = { ...reservation, state: 'done' };
      completeGathered({
        key: reservationKey(keyPrefix, scope),
        value: JSON.stringify(done),
        eventId: reservation.eventId,
        ttlMs,
      }).catch((error: Error) => {
        logger.debug('a key stays pending', { error: error.message });
      });
    },
  };
}

type Wanted = { key: string; value: string };

function toReserved(before: string | null): Reserved {
  if (before === null) return { outcome: 'reserved' };
  return { outcome: 'held', by: JSON.parse(before) as Reservation };
}

function unavailable(detail: string): Reserved {
  return { outcome: 'unavailable', detail };
}
