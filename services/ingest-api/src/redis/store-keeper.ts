import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import type { Clock } from '@tributary/runtime/clock';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';
import type { Redis } from 'ioredis';
import { forgetCompleteness, readRedisFacts } from './connect-redis.ts';
import { idempotencyWindowMs } from './idempotency-store.ts';
import { completenessKey, earlierKeys, lastCompleteKey, rebuildLockKey } from './keys.ts';
import { type ReadKeyedEvents, restoreReservations } from './restore-reservations.ts';
import { redisScripts } from './scripts.ts';

/**
 * Sees to it that the idempotency store is complete, or says that it is not (design 5, step 5).
 *
 *   unusable ──connected, settings fit──▶ checking ──complete──▶ usable
 *      ▲                                     │ not complete
 *      ├──── connection lost (any state) ────┼──▶ rebuilding (here, or awaited from the replica
 *      └──── settings unfit (any check) ─────┘    that holds the lock) ──▶ checking
 *
 * Complete means: the sentinel is there and names the server's present run id. So a flush, an
 * empty server, a restart that lost the last writes, an eviction and an old backup are all noticed.
 * After a restart with data only what came since the store was last known complete is read again;
 * after an eviction, or settings that allow one, everything is.
 *
 * A request that reserved its key before a flush may append after it. So a rebuild that found
 * events waits until every such request has ended (`graceMs`), then reads once more what came
 * since it began. It ends with the sentinel only if its lock is still there: a flush in between
 * takes the lock away too.
 */
export type StoreKeeper = {
  start(): void;
  /** Run id of the server, while it may be used. */
  runId(): string | undefined;
  /** Somebody found the store not complete: looks now instead of at the next tick. */
  reportIncomplete(): void;
  health(): { ok: boolean; detail?: string };
  stop(): Promise<void>;
};

const rebuilding = { ok: false, detail: 'the idempotency keys are being rebuilt from the log' };
const tickMs = 1_000;
const lockMs = 15_000;
/** Clocks of brokers and replicas may differ by this much. */
const skewMs = 60_000;

export function createStoreKeeper(options: {
  redis: Redis;
  keyPrefix: string;
  readKeyedEvents: ReadKeyedEvents;
  /** Longer than any keyed request lives between its reserve and the end of its append. */
  graceMs: number;
  clock: Clock;
  logger: Logger;
}): StoreKeeper {
  const { redis, keyPrefix, readKeyedEvents, graceMs, clock, logger } = options;
  const keys = {
    complete: completenessKey(keyPrefix),
    lastComplete: lastCompleteKey(keyPrefix),
    lock: rebuildLockKey(keyPrefix),
  };
  const earlier = earlierKeys(keyPrefix);
  const stopping = new AbortController();
  let runId: string | undefined;
  let state: { ok: boolean; detail?: string } = { ok: false, detail: 'redis does not answer' };
  /** Whether this process has seen the store complete: then keyed requests may be under way. */
  let wasComplete = false;
  const checks = createRepeater({
    everyMs: tickMs,
    work: async () => {
      if (redis.status === 'ready') await check();
    },
    onFailure(error) {
      state = { ok: false, detail: (error as Error).message };
      logger.warn('the idempotency store cannot be checked; trying again', { error });
    },
  });

  redis.on('close', () => {
    runId = undefined;
    state = { ok: false, detail: 'redis does not answer' };
  });
  redis.on('ready', () => checks.wake());

  async function check(): Promise<void> {
    const facts = await readRedisFacts(redis);
    if (facts.mistakes.length > 0) return refuse(facts.mistakes);
    await fenceEarlier();
    runId = facts.runId;
    const [complete, last] = (await redis.eval(
      redisScripts.noteComplete,
      2,
      keys.complete,
      keys.lastComplete,
      `${runId}:`,
      clock.now().getTime(),
    )) as [0 | 1, string | null];
    if (complete === 1) {
      state = { ok: true };
      wasComplete = true;
      return;
    }
    state = rebuilding;
    // An older sentinel must not fit again when the counter of evictions is reset.
    if (facts.hasEvicted) await forgetCompleteness(redis, keyPrefix);
    await rebuild(runId, last === null || facts.hasEvicted ? undefined : Number(last));
  }

  /**
   * A process of the earlier release would not see what this one reserves, nor this one what that
   * one does. So that one is kept from reserving, and looked at again at each check: a flush, or
   * an older backup, lets it reserve again. What it has reserved until now is on the log once a
   * rebuild has waited for it; so the store is not complete without one. Gives whether it had to.
   */
  async function fenceEarlier(): Promise<boolean> {
    const { complete, lastComplete, lock } = keys;
    const all = [earlier.complete, earlier.rebuildLock, complete, lastComplete, lock];
    const found = await redis.eval(redisScripts.fenceEarlier, all.length, ...all);
    if (found === 'string') {
      wasComplete = true;
      logger.warn('an earlier release of ingest-api takes no keyed requests any more: replace it');
    }
    return found !== null;
  }

  async function refuse(mistakes: readonly string[]): Promise<void> {
    runId = undefined;
    const detail = mistakes.join('; ');
    if (state.detail !== detail) {
      logger.error('alert: redis is not fit for idempotency keys; keyed requests are refused', {
        mistakes,
      });
    }
    state = { ok: false, detail };
    await forgetCompleteness(redis, keyPrefix);
  }

  async function rebuild(run: string, lastCompleteMs: number | undefined): Promise<void> {
    const token = randomUUID();
    if ((await redis.set(keys.lock, token, 'PX', lockMs, 'NX')) === null) return;
    const startedMs = clock.now().getTime();
    const lost = new AbortController();
    const signal = AbortSignal.any([stopping.signal, lost.signal]);
    const renewal = setInterval(() => void renew(token, lost), lockMs / 3);
    try {
      const windowStartMs = startedMs - idempotencyWindowMs - skewMs;
      const fromMs = Math.max(windowStartMs, (lastCompleteMs ?? 0) - skewMs);
      logger.info('rebuilding the idempotency keys from the log', {
        from: new Date(fromMs).toISOString(),
      });
      const restore = (sinceMs: number) =>
        restoreReservations({
          redis,
          keyPrefix,
          lock: { key: keys.lock, token, lockMs },
          readKeyedEvents,
          sinceMs,
          clock,
          signal,
        });
      let restored = await restore(fromMs);
      // A reservation that Redis lost may have its append still under way, and nothing on the log
      // shows it yet. Only where nothing shows that a keyed request was ever taken is there no
      // wait.
      if (restored > 0 || lastCompleteMs !== undefined || wasComplete) {
        await delay(Math.max(0, startedMs + graceMs - clock.now().getTime()), undefined, {
          signal,
        });
        restored += await restore(startedMs - skewMs);
      }
      if (await fenceEarlier()) {
        throw new Error('ingest-api of an earlier release took keys during the rebuild');
      }
      const finished = await redis.eval(
        redisScripts.finishRebuild,
        3,
        keys.lock,
        keys.complete,
        keys.lastComplete,
        token,
        `${run}:${token}`,
        clock.now().getTime(),
      );
      if (finished !== 1) throw new Error('the store was flushed during the rebuild');
      state = { ok: true };
      wasComplete = true;
      logger.info('the idempotency keys are complete', {
        restored,
        tookMs: clock.now().getTime() - startedMs,
      });
    } finally {
      clearInterval(renewal);
    }
  }

  /** Keeps the lock while the log is slow; without it, somebody else has begun, or a flush came. */
  async function renew(token: string, lost: AbortController): Promise<void> {
    const held = await redis
      .eval(redisScripts.renewLock, 1, keys.lock, token, lockMs)
      .catch(() => 0);
    if (held !== 1) lost.abort(new Error('the rebuild lost its lock'));
  }

  return {
    start: () => checks.start(),
    runId: () => runId,
    reportIncomplete() {
      // Once: while the store is not usable every request finds that out, and the loop knows.
      if (!state.ok) return;
      state = rebuilding;
      checks.wake();
    },
    health: () => state,
    async stop() {
      stopping.abort();
      await checks.stop();
    },
  };
}
