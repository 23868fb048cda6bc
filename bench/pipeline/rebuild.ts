import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';

import { addGeneration, removeGeneration } from '@tributary/generations/registry';
import { createPool } from '@tributary/runtime/postgres';
import { patiently } from '@tributary/testkit/patience';
import { withClient } from '@tributary/testkit/database';
import type pg from 'pg';
import { startFold } from '../../deploy/local/start-fold.ts';
import { newestFoldVersion } from '../../packages/attribution-fold/src/domain/fold-version.ts';
import { attributionBacklog, rewardsBacklog } from '../../test-faults/chain/backlog.ts';
import { openTopics, type Topics } from '../../test-faults/chain/topics.ts';
import { cpuSeconds as cpuOf } from '../process-cpu.ts';
import { peakMiB } from '../process-memory.ts';
import { type FoldRun, runFold } from '../replay/run-fold.ts';
import { asOwnRole, type BenchServers } from './servers.ts';
import { type LiveTimes, measureLiveTimes } from './live-beside-rebuild.ts';
import { untilBegun, untilDrained } from './until-drained.ts';
import type { Workload } from './workload.ts';

export type Rebuild = {
  /** Until a generation that was registered has read all of the log, and written what it has. */
  rebuilt: {
    events: number;
    seconds: number;
    /** While it was built; the processes run the live generation too, which is at rest. */
    cpuSeconds: Record<'attribution' | 'rewards' | 'postgres' | 'kafka', number>;
    /** The most that each process held, its building of the live generation included. */
    peakMiB: Record<'attribution' | 'rewards', number>;
  };
  /** What the live generation is held up by it. */
  live: LiveTimes[];
  /** What verify and preview do with the same log, in memory. */
  folded: FoldRun;
};

/**
 * A second generation, built beside the live one, which has nothing to do meanwhile: attribution
 * and rewards, one process of each, run both. Then the fold of the same log in memory.
 */
export async function measureRebuild(options: {
  servers: BenchServers;
  workload: Workload;
  progress: (line: string) => void;
  /** For a look with a profiler. */
  nodeOptions?: { NODE_OPTIONS: string };
}): Promise<Rebuild> {
  const { servers, workload, progress, nodeOptions } = options;
  const { kafkaBrokers } = servers;
  const topicPrefix = `${name}.`;
  const topics = await openTopics(kafkaBrokers, topicPrefix);
  const postgresUrl = await servers.createDatabase(name);
  const where = { ...servers, postgresUrl, topicPrefix, say: progress, generation: 'all' } as const;
  const stops: (() => Promise<unknown>)[] = [() => topics.close()];
  try {
    const start = async (service: 'attribution' | 'rewards') => {
      const variables = { TRIBUTARY_LOG_LEVEL: 'warn', ...nodeOptions };
      const group = await startFold(service, { ...where, variables });
      stops.unshift(() => group.stop());
      await group.ready();
      return group.replicas[0]!;
    };
    const folds = { attribution: await start('attribution'), rewards: await start('rewards') };
    const cpuSeconds = () => ({
      attribution: cpuOf(folds.attribution.pid),
      rewards: cpuOf(folds.rewards.pid),
      ...servers.cpuSeconds(),
    });
    await topics.append([...workload.revisions, ...workload.codes]);
    const history = workload.events.slice(0, Math.floor(workload.events.length * historyShare));
    await topics.append(history);
    const { rebuilt, live } = await withClient(asOwnRole(postgresUrl), async (db) => {
      const drained = async (generation: number, startedAt: number) => {
        const read = { attribution: attributionBacklog, rewards: rewardsBacklog };
        await untilDrained({
          ...{ what: `attribution of ${generation}`, startedAt, progress },
          read: () => read.attribution(db, topics, generation),
        });
        return untilDrained({
          ...{ what: `rewards of ${generation}`, startedAt, progress },
          // What is due is issued by the live generation alone.
          read: async () => {
            const backlog = await read.rewards(db, topics, generation);
            return generation === 1 ? backlog : { ...backlog, work: 0 };
          },
        });
      };
      await drained(1, performance.now());
      await db.query('checkpoint');
      const before = cpuSeconds();
      await changeRegistry(postgresUrl, (pool) => register(pool, topics, 2));
      const startedAt = await untilBegun(db, 'attribution_g2', topics.nameOf('codes'));
      const seconds = await drained(2, startedAt);
      const after = cpuSeconds();
      await requireEqual(db);
      const names = Object.keys(before) as (keyof typeof before)[];
      const built = {
        events: history.length,
        seconds,
        cpuSeconds: Object.fromEntries(
          names.map((what) => [what, after[what] - before[what]]),
        ) as typeof before,
        peakMiB: {
          attribution: peakMiB(folds.attribution.pid),
          rewards: peakMiB(folds.rewards.pid),
        },
      };
      await changeRegistry(postgresUrl, (pool) => removeGeneration(pool, 2));
      const live = await measureLiveTimes({
        topics,
        events: workload.events.slice(history.length),
        async build() {
          await changeRegistry(postgresUrl, (pool) => register(pool, topics, 3));
          await untilDecided(db, 3, history.length);
        },
        settled: () => drained(1, performance.now()),
      });
      return { rebuilt: built, live };
    });
    for (const stop of stops.splice(0)) await stop();
    const folded = await runFold({ kafkaBrokers, prefix: topicPrefix, progress });
    return { rebuilt, live, folded };
  } finally {
    for (const stop of stops) await stop();
    await servers.dropDatabase(name);
  }
}

const name = 'rebuild';

/** The rest comes to the live generation while the next one is built. */
const historyShare = 0.7;

async function changeRegistry(
  postgresUrl: string,
  change: (pool: pg.Pool) => Promise<boolean>,
): Promise<void> {
  const settings = { url: postgresUrl, schema: 'generations', poolSize: 1 };
  const pool = createPool(settings, { applicationName: 'bench', logger: silentLogger });
  try {
    if (!(await change(pool))) throw new Error('the registry has another list of generations');
  } finally {
    await pool.end();
  }
}

/** As a rebuild's job does it. */
async function register(pool: pg.Pool, topics: Topics, number: number): Promise<boolean> {
  const { kafka, wiring } = topics;
  const specs = topicSpecs({ ...wiring, generation: number }, ['attributions', 'rewards']);
  await createTopics({ kafka, topics: specs, logger: silentLogger });
  return addGeneration(pool, { number, foldVersion: newestFoldVersion });
}

/** So many decisions, of whichever events. */
async function untilDecided(db: pg.ClientBase, generation: number, events: number): Promise<void> {
  const sql = `select count(*)::int as count from attribution_g${generation}.fact`;
  for (const deadline = performance.now() + patiently(300_000); ; await delay(200)) {
    const found = await db.query<{ count: number }>(sql).catch(() => undefined);
    if ((found?.rows[0]?.count ?? 0) >= events * nearlyAll) return;
    if (performance.now() > deadline) throw new Error(`generation ${generation} is not built`);
  }
}

/** Some events of the workload come twice. */
const nearlyAll = 0.97;

/** Both have decided the same number of events, and give the same credits. */
async function requireEqual(db: Parameters<Parameters<typeof withClient>[1]>[0]): Promise<void> {
  const sums = [1, 2].map(async (generation) => {
    const { rows } = await db.query<{ decided: string; entitled: string }>(
      `select (select count(*) from attribution_g${generation}.fact) as decided,
         (select coalesce(sum(entitled), 0) from rewards_g${generation}.entitlement) as entitled`,
    );
    return JSON.stringify(rows[0]);
  });
  const [live, built] = await Promise.all(sums);
  if (live !== built) throw new Error(`generation 1 has ${live}, what was built has ${built}`);
}
