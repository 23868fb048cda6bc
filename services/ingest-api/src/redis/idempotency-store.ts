import type { Clock } from '@tributary/runtime/clock';
import type { Logger } from '@tributary/runtime/logger';
import type { Redis } from 'ioredis';
import { createGather } from './gather.ts';
import { completenessKey, type KeySpace, reservationKey, type ReservationScope } from './keys.ts';
import { eventIdBytes, type Reservation, reservationOf, reservationValue } from './reservation.ts';
import { redisScripts } from './scripts.ts';

export type Reserved =
  /** The key was free and is now held by what was given. */
  | { outcome: 'reserved' }
  | { outcome: 'held'; by: Reservation }
  /** No answer is possible now; nothing was reserved, or only what a retry will find again. */
  | { outcome: 'unavailable'; detail: string };

/**
 * Which request a key belongs to, for 72 hours (interface 4.1 rules 7 to 11, design 5).
 *
 * A reservation is `pending` from before the append until after its ack, then `done`. Reserve,
 * append, done, in this order: a crash in between can leave a copy of a record on the log (readers
 * drop it by `eventId`), never lose an event or give one key two of them. While a part of
 * the store is not complete (flushed, restarted, gone) it reserves nothing there.
 */
export type IdempotencyStore = {
  reserve(scope: ReservationScope, reservation: Reservation): Promise<Reserved>;
  /**
   * After the ack. Waits a moment for company and never rejects: a key that stays `pending` is as
   * safe. Nobody's answer should wait for it.
   */
  complete(scope: ReservationScope, reservation: Reservation): Promise<void>;
};

export const idempotencyWindowMs = 72 * 3_600_000;

/** A server that was checked, over the connection by which it was. */
export type Place = { redis: Redis; runId: string };

export function createIdempotencyStore(options: {
  space: KeySpace;
  /** Where a part is; undefined while it is not usable. */
  placeOf: (part: number) => Place | undefined;
  /** Told when a part turns out not to be complete. */
  onIncomplete: (part: number) => void;
  clock: Clock;
  logger: Logger;
}): IdempotencyStore {
  const { space, placeOf, onIncomplete, clock, logger } = options;
  // Each gathers for itself: the keys of one server do not wait for another that is silent.
  const parts = space.map((name, part) =>
    createPart({
      name,
      place: () => placeOf(part),
      onIncomplete: () => onIncomplete(part),
      clock,
    }),
  );

  return {
    reserve(scope, reservation) {
      const { part, key } = reservationKey(space, scope);
      const value = reservationValue(reservation);
      return parts[part]!.reserve({ key, value }).catch((error: Error) =>
        unavailable(error.message),
      );
    },

    complete(scope, reservation) {
      const { part, key } = reservationKey(space, scope);
      return parts[part]!.complete({ key, reservation }).catch((error: Error) => {
        logger.debug('a key stays pending', { error: error.message });
      });
    },
  };
}

function createPart(options: {
  name: string;
  place: () => Place | undefined;
  onIncomplete: () => void;
  clock: Clock;
}) {
  const { name, place, onIncomplete, clock } = options;

  const reserveGathered = createGather<Wanted, Reserved>({
    maxItems: 200,
    enoughItems: 32,
    // A request that comes during a round trip would otherwise wait for two.
    maxUnderWay: 4,
    send: async (wanted) => {
      const at = place();
      if (at === undefined)
        return wanted.map(() => unavailable('redis does not answer or is not fit'));
      const before = (await at.redis.callBuffer(
        'eval',
        redisScripts.reserveKeys,
        wanted.length + 1,
        completenessKey(name),
        ...wanted.map(({ key }) => key),
        `${at.runId}:`,
        idempotencyWindowMs,
        ...wanted.map(({ value }) => value),
      )) as (Buffer | null)[] | null;
      if (before === null) {
        onIncomplete();
        return wanted.map(() => unavailable('the idempotency keys are being rebuilt from the log'));
      }
      return before.map(toReserved);
    },
  });

  const completeGathered = createGather<Completion, void>({
    maxItems: 500,
    lingerMs: 25,
    send: async (wanted) => {
      const at = place();
      if (at === undefined) throw new Error('redis does not answer or is not fit');
      const gone = (await at.redis.eval(
        redisScripts.completeKeys,
        wanted.length,
        ...wanted.map(({ key }) => key),
        ...wanted.map(({ reservation }) => eventIdBytes(reservation.eventId)),
      )) as number[];
      await putBack(
        at.redis,
        gone.map((number) => wanted[number - 1]!),
      );
      return wanted.map(() => undefined);
    },
  });

  /** A flush came between reserve and now, and the events are on the log. */
  async function putBack(redis: Redis, gone: readonly Completion[]): Promise<void> {
    const nowMs = clock.now().getTime();
    await Promise.all(
      gone.map(async ({ key, reservation }) => {
        const ttlMs = Date.parse(reservation.receivedAt) + idempotencyWindowMs - nowMs;
        if (ttlMs <= 0) return;
        const value = reservationValue({ ...reservation, state: 'done' });
        await redis.set(key, value, 'PX', ttlMs, 'NX');
      }),
    );
  }

  return { reserve: reserveGathered, complete: completeGathered };
}

type Wanted = { key: Buffer; value: Buffer };
type Completion = { key: Buffer; reservation: Reservation };

function toReserved(before: Buffer | null): Reserved {
  if (before === null) return { outcome: 'reserved' };
  return { outcome: 'held', by: reservationOf(before) };
}

function unavailable(detail: string): Reserved {
  return { outcome: 'unavailable', detail };
}
