import { silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';

import { addGeneration } from '@tributary/generations/registry';
import { createPool } from '@tributary/runtime/postgres';
import { startFold } from '../../deploy/local/start-fold.ts';
import { newestFoldVersion } from '../../packages/attribution-fold/src/domain/fold-version.ts';
import { attributionBacklog, rewardsBacklog } from '../../test-faults/chain/backlog.ts';
import { openTopics, type Topics } from '../../test-faults/chain/topics.ts';
import { type FoldRun, runFold } from '../replay/run-fold.ts';
import { asOwnRole, type BenchServers, withClient } from './servers.ts';
import { untilBegun, untilDrained } from './until-drained.ts';
import type { Workload } from './workload.ts';

export type Rebuild = {
  /** Until a generation that was registered has read all of the log, and written what it has. */
  rebuilt: { events: number; seconds: number };
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
}): Promise<Rebuild> {
  const { servers, workload, progress } = options;
  const { kafkaBrokers } = servers;
  const topicPrefix = `${name}.`;
  const topics = await openTopics(kafkaBrokers, topicPrefix);
  const postgresUrl = await servers.createDatabase(name);
  const where = { ...servers, postgresUrl, topicPrefix, say: progress, generation: 'all' } as const;
  const stops: (() => Promise<unknown>)[] = [() => topics.close()];
  try {
    for (const service of ['attribution', 'rewards'] as const) {
      const variables = { TRIBUTARY_LOG_LEVEL: 'warn' };
      const group = await startFold(service, { ...where, variables });
      stops.unshift(() => group.stop());
      await group.ready();
    }
    await topics.append([...workload.revisions, ...workload.codes]);
    await topics.append(workload.events);
    const seconds = await withClient(asOwnRole(postgresUrl), async (db) => {
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
      await register(postgresUrl, topics);
      const startedAt = await untilBegun(db, 'attribution_g2', topics.nameOf('events'));
      const taken = await drained(2, startedAt);
      await requireEqual(db);
      return taken;
    });
    for (const stop of stops.splice(0)) await stop();
    const folded = await runFold({ kafkaBrokers, prefix: topicPrefix, progress });
    return { rebuilt: { events: workload.events.length, seconds }, folded };
  } finally {
    for (const stop of stops) await stop();
    await servers.dropDatabase(name);
  }
}

const name = 'rebuild';

/** As a rebuild's job does it. */
async function register(postgresUrl: string, { kafka, wiring }: Topics): Promise<void> {
  const topics = topicSpecs({ ...wiring, generation: 2 }, ['attributions', 'rewards']);
  await createTopics({ kafka, topics, logger: silentLogger });
  const settings = { url: postgresUrl, schema: 'generations', poolSize: 1 };
  const pool = createPool(settings, { applicationName: 'bench', logger: silentLogger });
  try {
    if (await addGeneration(pool, { number: 2, foldVersion: newestFoldVersion })) return;
    throw new Error('there is a generation 2 already');
  } finally {
    await pool.end();
  }
}

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
