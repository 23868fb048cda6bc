import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import type { Clock } from '@tributary/runtime/clock';
import type { Logger } from '@tributary/runtime/logger';
import type { Redis } from 'ioredis';
import { idempotencyWindowMs } from './idempotency-store.ts';
import { completenessKey, type KeySpace, lastCompleteKey, rebuildLockKey } from './keys.ts';
import { type ReadKeyedEvents, restoreReservations } from './restore-reservations.ts';
import { redisScripts } from './scripts.ts';

/** A part that a check has found not complete. */
export type IncompletePart = {
  part: number;
  redis: Redis;
  /** What its sentinel will name. */
  runId: string;
  lastCompleteMs: number | undefined;
  /** Whether keyed requests may be under way that reserved before. */
  wasComplete: boolean;
};

const lockMs = 15_000;
/** Clocks of brokers and replicas may differ by this much. */
const skewMs = 60_000;

/**
 * Rebuilds the parts that no other replica rebuilds, in one reading of the log. Gives how many are
 * complete; one whose server fails, or that is flushed in the middle, is left out and logged.
 *
 * A request that reserved its key before a flush may append after it. So a rebuild that found
 * events waits until every such request has ended (`graceMs`), then reads once more what came
 * since it began. It ends with the sentinel only if its lock is still there: a flush in between
 * takes the lock away too.
 */
export async function rebuildParts(options: {
  incomplete: readonly IncompletePart[];
  space: KeySpace;
  readKeyedEvents: ReadKeyedEvents;
  graceMs: number;
  /** Looks whether all that was written is there to stay; throws when it may not be. */
  beforeEnd: (part: IncompletePart) => Promise<void>;
  clock: Clock;
  logger: Logger;
  signal: AbortSignal;
}): Promise<number> {
  const { incomplete, space, readKeyedEvents, graceMs, beforeEnd, clock, logger } = options;
  const token = randomUUID();
  const held = new Map<number, IncompletePart>();
  const lost = new AbortController();
  const signal = AbortSignal.any([options.signal, lost.signal]);

  function giveUp(part: number, error: Error): void {
    if (!held.delete(part)) return;
    logger.warn('the idempotency keys cannot be rebuilt; trying again', { part, error });
    if (held.size === 0) lost.abort(error);
  }

  const eachHeld = (work: (one: IncompletePart) => Promise<void>) =>
    Promise.all(
      [...held.values()].map((one) =>
        work(one).catch((e: unknown) => giveUp(one.part, e as Error)),
      ),
    );

  /** Keeps the locks while the log is slow; without, somebody else has begun, or a flush came. */
  const renew = () =>
    eachHeld(async ({ part, redis }) => {
      const lock = rebuildLockKey(space[part]!);
      const isOurs = await redis.eval(redisScripts.renewLock, 1, lock, token, lockMs);
      if (isOurs !== 1) throw new Error('the rebuild lost its lock');
    });

  for (const one of incomplete) {
    const lock = rebuildLockKey(space[one.part]!);
    const taken = await one.redis.set(lock, token, 'PX', lockMs, 'NX').catch(() => null);
    if (taken !== null) held.set(one.part, one);
  }
  if (held.size === 0) return 0;

  const startedMs = clock.now().getTime();
  // What is waited for must not depend on a wall clock that is set meanwhile.
  const waitUntilMs = performance.now() + graceMs;
  const renewal = setInterval(() => void renew(), lockMs / 3);
  try {
    const restore = (sinceMs: number) =>
      restoreReservations({
        space,
        redisOf: (part) => held.get(part)?.redis,
        giveUp,
        lock: { token, lockMs },
        readKeyedEvents,
        sinceMs,
        clock,
        signal,
      });
    const fromMs = firstOf(held.values(), startedMs);
    logger.info('rebuilding the idempotency keys from the log', {
      from: new Date(fromMs).toISOString(),
      ...(space.length === 1 ? {} : { parts: [...held.keys()] }),
    });
    let restored = await restore(fromMs);
    // A reservation that Redis lost may have its append still under way, and nothing on the log
    // shows it yet. Only where nothing shows that a keyed request was ever taken is there no wait.
    const isFirst = ({ lastCompleteMs, wasComplete }: IncompletePart) =>
      lastCompleteMs === undefined && !wasComplete;
    if (restored > 0 || ![...held.values()].every(isFirst)) {
      await delay(Math.max(0, waitUntilMs - performance.now()), undefined, { signal });
      restored += await restore(startedMs - skewMs);
    }
    await eachHeld(async (one) => {
      await beforeEnd(one);
      await end(one, space[one.part]!, token, clock.now().getTime());
    });
    const tookMs = clock.now().getTime() - startedMs;
    if (held.size > 0) logger.info('the idempotency keys are complete', { restored, tookMs });
    return held.size;
  } finally {
    clearInterval(renewal);
  }
}

/** From when on the log must be read for all of them. */
function firstOf(parts: Iterable<IncompletePart>, startedMs: number): number {
  const windowStartMs = startedMs - idempotencyWindowMs - skewMs;
  const firsts = [...parts].map(({ lastCompleteMs = 0 }) => lastCompleteMs - skewMs);
  return Math.max(windowStartMs, Math.min(...firsts));
}

async function end(
  { redis, runId }: IncompletePart,
  part: string,
  token: string,
  nowMs: number,
): Promise<void> {
  const ended = await redis.eval(
    redisScripts.finishRebuild,
    3,
    rebuildLockKey(part),
    completenessKey(part),
    lastCompleteKey(part),
    token,
    `${runId}:${token}`,
    nowMs,
  );
  if (ended !== 1) throw new Error('the store was flushed during the rebuild');
}
