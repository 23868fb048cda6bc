import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import pg from 'pg';
import { startFold } from '../../deploy/local/start-fold.ts';
import { chainBacklog } from '../chain/backlog.ts';
import { openTopics, type Topics } from '../chain/topics.ts';
import { startDispatcherProcess } from '../webhooks/dispatcher.ts';
import { environmentOf } from '../webhooks/settings.ts';
import { runCommand } from './run-command.ts';
import { startReplay } from './start-replay.ts';

/** The part of a verification's result that two deployments have in common. */
export type VerifyResult = {
  outcome: 'identical' | 'different';
  tenants: { tenantId: string; rewards: { count: number; hash: string } }[];
  differences: { shown: object[] };
};

/**
 * A deployment as far as granting and sending goes: topics and a database of its own on the shared
 * servers, and attribution, rewards and the dispatcher as processes, when they are wanted. It is
 * there before any of them is started, so that something can be imported.
 */
export type Deployment = Awaited<ReturnType<typeof makeDeployment>>;

export async function makeDeployment({ keyRing }: { keyRing: string }) {
  const { kafkaBrokers } = await getServers();
  const topicPrefix = uniquePrefix();
  const database = await createDatabase();
  const postgresUrl = database.url;
  const logs = await mkdtemp(join(tmpdir(), 'tributary-replay-'));
  const db = new pg.Client({ connectionString: postgresUrl });
  await db.connect();
  const stops: (() => Promise<unknown>)[] = [
    () => rm(logs, { recursive: true, force: true }),
    () => database.drop(),
    () => db.end(),
  ];
  const processes: (() => Promise<unknown>)[] = [];
  let topics: Topics | undefined;
  let chain: Parameters<typeof startReplay>[0] | undefined;

  async function useTopics(): Promise<Topics> {
    if (topics) return topics;
    const opened = (topics = await openTopics(kafkaBrokers, topicPrefix));
    stops.push(() => opened.close());
    return opened;
  }

  async function live(): Promise<number> {
    const sql = 'select generation as live from generations.live_generation';
    return (await db.query<{ live: number }>(sql)).rows[0]!.live;
  }

  async function recovered(): Promise<void> {
    const replay = await startReplay(chain!);
    try {
      await eventually(async () => expect(await live()).to.equal(2), {
        deadlineMs: 200_000,
        everyMs: 500,
      });
    } finally {
      await replay.stop();
    }
  }

  return {
    db,
    /** Made where they are missing. */
    useTopics,

    /**
     * `recovering`: its first generation has a history that it did not decide, so that nothing is
     * ready before the replay service has built the next one.
     */
    async start({ recovering = false } = {}): Promise<void> {
      const where = { kafkaBrokers, postgresUrl, topicPrefix, logs };
      const attribution = await startFold('attribution', { ...where, generation: 'all' });
      processes.push(() => attribution.stop());
      const rewards = await startFold('rewards', { ...where, generation: 'all' });
      processes.push(() => rewards.stop());
      chain = { attribution, rewards, topics: { prefix: topicPrefix } };
      const dispatcher = startDispatcherProcess({
        name: 'dispatcher',
        logFile: join(logs, 'dispatcher.log'),
        env: environmentOf({ ...where, prefix: topicPrefix, keyRing, limits: {} }),
      });
      processes.push(async () => {
        dispatcher.signal('SIGTERM');
        await dispatcher.exited;
      });
      if (recovering) await recovered();
      await Promise.all([attribution, rewards, dispatcher].map((one) => one.ready()));
    },

    /** Until nobody has anything left to do, and every issuance with an amount is delivered. */
    async atRest(deadlineMs = 60_000): Promise<void> {
      const read = await useTopics();
      await eventually(
        async () => {
          expect(await chainBacklog(db, read, await live())).to.deep.equal({
            lag: 0,
            outbox: 0,
            work: 0,
          });
          const { rows } = await db.query<{ open: number }>(openDeliveries);
          expect(rows[0]!.open).to.equal(0);
        },
        { deadlineMs, everyMs: 200 },
      );
    },

    /** What the replay service says of it, which is started for that alone. */
    async verified(): Promise<VerifyResult> {
      const replay = await startReplay(chain!);
      try {
        const { jobId } = await replay.begin('verify', {});
        const job = await replay.ended(jobId);
        expect(job.status, JSON.stringify(job)).to.equal('done');
        return job.result as VerifyResult;
      } finally {
        await replay.stop();
      }
    },

    /** Stops what runs, in order; what they wrote stays. */
    async stopServices(): Promise<void> {
      for (const stopOne of processes.splice(0).reverse()) await stopOne();
    },

    /** The command line as an operator of this deployment gives it. */
    tributary: (argv: readonly string[]) =>
      runCommand(argv, {
        TRIBUTARY_KAFKA_BROKERS: kafkaBrokers,
        TRIBUTARY_TOPIC_PREFIX: topicPrefix,
        TRIBUTARY_TOPIC_REPLICATION: '1',
        TRIBUTARY_TOPIC_MIN_INSYNC: '1',
      }),

    async stop(): Promise<void> {
      for (const stopOne of processes.splice(0).reverse()) await stopOne();
      for (const stopOne of stops.splice(0).reverse()) await stopOne();
    },
  };
}

/** Those that the dispatcher has not heard of yet, and those that it has not delivered. */
const openDeliveries = `
  select (select count(*)::int from issuance.issuance)
    - (select count(*)::int from dispatch.delivery where state = 'delivered') as open`;
