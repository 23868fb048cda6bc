import type { Clock } from '@tributary/runtime/clock';
import type { Gauges } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';
import type { Redis } from 'ioredis';
import { forgetCompleteness, readRedisFacts, type RedisFacts } from './connect-redis.ts';
import type { FenceEarlier } from './fence-earlier.ts';
import type { Place } from './idempotency-store.ts';
import { completenessKey, type KeySpace, lastCompleteKey, rebuildLockKey } from './keys.ts';
import { type IncompletePart, rebuildParts } from './rebuild-parts.ts';
import type { RedisServers, Serving } from './redis-servers.ts';
import type { ReadKeyedEvents } from './restore-reservations.ts';
import { redisScripts } from './scripts.ts';

/**
 * Sees to it that each part of the idempotency store is complete, or says that it is not (design
 * 5, step 5).
 *
 *   unusable ──server found, settings fit──▶ checking ──complete──▶ usable
 *      ▲                                        │ not complete
 *      ├──── connection lost, another server ───┼──▶ rebuilding (here, or awaited from the replica
 *      └──── settings unfit (any check) ────────┘    that holds the lock) ──▶ checking
 *
 * Complete means: the sentinel is there and names the server's present run. So a flush, an empty
 * server, a restart that lost the last writes, a replica that took over, an eviction and an old
 * backup are all noticed. After a restart or a fail-over with data only what came since the part
 * was last known complete is read again; after an eviction, or settings that allow one, everything
 * is.
 */
export type StoreKeeper = {
  start(): void;
  /** The server of a part, while it may be used. */
  placeOf(part: number): Place | undefined;
  /** Somebody found the part not complete: looks now instead of at the next tick. */
  reportIncomplete(part: number): void;
  health(): Health;
  gauges: Gauges;
  stop(): Promise<void>;
};

type Health = { ok: boolean; detail?: string };

type Part = {
  number: number;
  state: Health;
  /** Until when it may be used, by both clocks: the monotonic one stands while a machine sleeps. */
  place: (Place & { untilMs: number; untilAtMs: number }) | undefined;
  /** Whether this process has seen it complete: then keyed requests may be under way. */
  wasComplete: boolean;
  incomplete: IncompletePart | undefined;
};

const silent = { ok: false, detail: 'redis does not answer' };
const rebuilding = { ok: false, detail: 'the idempotency keys are being rebuilt from the log' };
const tickMs = 1_000;

export function createStoreKeeper(options: {
  servers: RedisServers;
  space: KeySpace;
  fence: FenceEarlier | undefined;
  readKeyedEvents: ReadKeyedEvents;
  /** Longer than any keyed request lives between its reserve and the end of its append. */
  graceMs: number;
  clock: Clock;
  logger: Logger;
}): StoreKeeper {
  const { servers, space, fence, readKeyedEvents, clock, logger } = options;
  // A process that does not know of a fail-over yet may reserve for that much longer.
  const graceMs = options.graceMs + (servers.hasReplicas ? servers.leaseMs : 0);
  const stopping = new AbortController();
  const parts = space.map((_, number): Part => {
    return { number, state: silent, place: undefined, wasComplete: false, incomplete: undefined };
  });
  let rebuild: Promise<void> | undefined;
  const checks = createRepeater({
    everyMs: tickMs,
    work: check,
    onFailure: (error) => fail(parts, error),
  });

  servers.listen({
    onReady: () => checks.wake(),
    onClose(redis) {
      for (const part of parts) {
        if (part.place?.redis === redis) Object.assign(part, { place: undefined, state: silent });
      }
    },
  });

  async function check(): Promise<void> {
    const started = { ms: performance.now(), atMs: clock.now().getTime() };
    const serving = await servers.find();
    const found = new Set(serving.flatMap((one) => one.parts));
    for (const part of parts) {
      part.incomplete = undefined;
      if (!found.has(part.number) && placeOf(part.number) === undefined) part.state = unserved;
    }
    await Promise.all(
      serving.map((one) =>
        checkServer(one, started).catch((error: unknown) => fail(partsOf(one), error)),
      ),
    );
    beginRebuild();
  }

  const runIdOf = ({ runId, replicationId }: RedisFacts) =>
    servers.hasReplicas ? `${runId}/${replicationId}` : runId;

  const partsOf = (serving: Serving) => serving.parts.map((number) => parts[number]!);

  function fail(of: readonly Part[], error: unknown): void {
    for (const part of of) part.state = { ok: false, detail: (error as Error).message };
    logger.warn('the idempotency store cannot be checked; trying again', { error });
  }

  async function checkServer(serving: Serving, started: Started): Promise<void> {
    const { redis } = serving;
    const served = partsOf(serving);
    for (const part of served) {
      // Somebody else took over; what is under way there is waited for, like a lost reservation.
      if (part.place?.redis !== redis) part.place = undefined;
    }
    if (redis.status !== 'ready') {
      for (const part of served) if (part.place === undefined) part.state = silent;
      return;
    }
    const facts = await readRedisFacts(redis);
    const mistakes = [...facts.mistakes];
    if (servers.hasReplicas && facts.replicationId === '') mistakes.push(noReplicationId);
    if (mistakes.length > 0) return refuse(served, redis, mistakes);
    await Promise.all(served.map((part) => checkPart(part, redis, facts, started)));
  }

  async function checkPart(
    part: Part,
    redis: Redis,
    facts: RedisFacts,
    started: Started,
  ): Promise<void> {
    const name = space[part.number]!;
    await fenceEarlier(part, redis);
    const runId = runIdOf(facts);
    const [complete, last] = (await redis.eval(
      redisScripts.noteComplete,
      2,
      completenessKey(name),
      lastCompleteKey(name),
      `${runId}:`,
      clock.now().getTime(),
    )) as [0 | 1, string | null];
    const { leaseMs } = servers;
    part.place = { redis, runId, untilMs: started.ms + leaseMs, untilAtMs: started.atMs + leaseMs };
    if (complete === 1) {
      part.state = { ok: true };
      part.wasComplete = true;
      return;
    }
    part.state = rebuilding;
    if (rebuild !== undefined) return;
    // An older sentinel must not fit again when the counter of evictions is reset.
    if (facts.hasEvicted) await forgetCompleteness(redis, name);
    part.incomplete = {
      part: part.number,
      redis,
      runId,
      lastCompleteMs: last === null || facts.hasEvicted ? undefined : Number(last),
      wasComplete: part.wasComplete,
    };
  }

  /** Gives whether they had to be kept from reserving now. */
  async function fenceEarlier(part: Part, redis: Redis): Promise<boolean> {
    const found = (await fence?.(redis)) ?? null;
    if (found === 'string') part.wasComplete = true;
    return found !== null;
  }

  async function refuse(
    of: readonly Part[],
    redis: Redis,
    mistakes: readonly string[],
  ): Promise<void> {
    const detail = mistakes.join('; ');
    if (of.some(({ state }) => state.detail !== detail)) {
      logger.error('alert: redis is not fit for idempotency keys; keyed requests are refused', {
        mistakes,
      });
    }
    for (const part of of) Object.assign(part, { place: undefined, state: { ok: false, detail } });
    // The lock, too: a rebuild that is under way must not end as if nothing had been evicted.
    await Promise.all(
      of.map(async ({ number }) => {
        await forgetCompleteness(redis, space[number]!);
        await redis.del(rebuildLockKey(space[number]!));
      }),
    );
  }

  /** Beside the checks, as what is complete must be checked meanwhile. */
  function beginRebuild(): void {
    const incomplete = parts.flatMap((part) => part.incomplete ?? []);
    if (rebuild !== undefined || incomplete.length === 0 || stopping.signal.aborted) return;
    rebuild = rebuildParts({
      incomplete,
      space,
      readKeyedEvents,
      graceMs,
      async beforeEnd({ part, redis, runId }) {
        // A lock that was saved is there again after a restart that has lost the last keys.
        if (runIdOf(await readRedisFacts(redis)) !== runId) {
          throw new Error('redis was started anew, or another took over, during the rebuild');
        }
        if (!(await fenceEarlier(parts[part]!, redis))) return;
        throw new Error('ingest-api of an earlier release took keys during the rebuild');
      },
      clock,
      logger,
      signal: stopping.signal,
    })
      .catch((error: unknown) => {
        logger.warn('the idempotency keys cannot be rebuilt; trying again', { error });
        return 0;
      })
      .then((completed) => {
        rebuild = undefined;
        if (completed > 0) checks.wake();
      });
  }

  function placeOf(number: number): Place | undefined {
    const place = parts[number]!.place;
    if (place === undefined || performance.now() >= place.untilMs) return undefined;
    return clock.now().getTime() < place.untilAtMs ? place : undefined;
  }

  return {
    start: () => checks.start(),
    placeOf,
    reportIncomplete(number) {
      const part = parts[number]!;
      // Once: while the store is not usable every request finds that out, and the loop knows.
      if (!part.state.ok) return;
      part.state = rebuilding;
      checks.wake();
    },
    gauges: {
      tributary_idempotency_parts: {
        help:
          'Parts of the store of idempotency keys as this process sees them: keyed events of a ' +
          'part that is not usable get 503. Use max.',
        labels: ['state'],
        read() {
          const usable = parts.filter(({ state }) => state.ok).length;
          return [
            { labels: { state: 'usable' }, value: usable },
            { labels: { state: 'not-usable' }, value: parts.length - usable },
          ];
        },
      },
    },
    health: () => healthOf(parts.map(({ state }) => state)),
    async stop() {
      stopping.abort();
      await checks.stop();
      await rebuild;
    },
  };
}

/** When a check began, by both clocks. */
type Started = { ms: number; atMs: number };

const noReplicationId =
  'INFO shows no master_replid, which tells that another server took over: allow INFO replication';

const unserved = { ok: false, detail: 'no majority of the witnesses names a server' };

function healthOf(states: readonly Health[]): Health {
  const failing = states.filter(({ ok }) => !ok);
  if (failing.length === 0 || states.length === 1) return failing[0] ?? { ok: true };
  const details = [...new Set(failing.map(({ detail }) => detail))];
  return {
    ok: false,
    detail: `${failing.length} of ${states.length} parts: ${details.join('; ')}`,
  };
}
