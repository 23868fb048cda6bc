import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { testSessionTimeoutMs } from '@tributary/testkit/session-timeout';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import pg from 'pg';
import type { ServiceGroup } from '../../deploy/local/service-group.ts';
import { startFold } from '../../deploy/local/start-fold.ts';
import { expectRecovered } from '../recovered.ts';
import { chainBacklog } from './backlog.ts';
import { openTopics, type Topics } from './topics.ts';

/**
 * attribution and rewards as processes, with topics and a database of their own on the shared
 * servers. Facts are appended by the test, tables and topics are there to be read.
 */
export type Chain = {
  attribution: ServiceGroup;
  rewards: ServiceGroup;
  topics: Topics;
  postgresUrl: string;
  db: pg.Client;
  /**
   * Until neither has anything left to do: no lag, nothing in an outbox, nothing due. Of a
   * generation that is not live, what is due stays so.
   */
  drained(deadlineMs?: number, generation?: number): Promise<void>;
  /** Without anything new and without a restart, see recovered.ts. */
  recovered(): Promise<void>;
  stop(): Promise<void>;
};

export async function startChain(
  replicas: { attribution?: number; rewards?: number } = {},
  /** Beside those that every fold is told. */
  variables: Record<string, string> = {},
): Promise<Chain> {
  const { kafkaBrokers } = await getServers();
  const topicPrefix = uniquePrefix();
  const database = await createDatabase();
  const logs = await mkdtemp(join(tmpdir(), 'tributary-chain-'));
  const db = new pg.Client({ connectionString: database.url });
  const stops: (() => Promise<unknown>)[] = [
    () => rm(logs, { recursive: true, force: true }),
    () => database.drop(),
    () => db.end(),
  ];
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  try {
    await db.connect();
    const topics = await openTopics(kafkaBrokers, topicPrefix);
    stops.push(() => topics.close());
    const start = async (name: 'attribution' | 'rewards') => {
      const where = { kafkaBrokers, postgresUrl: database.url, topicPrefix, logs };
      const group = await startFold(name, {
        ...{ ...where, replicas: replicas[name] ?? 1 },
        variables: {
          TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS: String(testSessionTimeoutMs),
          ...variables,
        },
      });
      stops.push(() => group.stop());
      return group;
    };
    const [attribution, rewards] = [await start('attribution'), await start('rewards')];
    await Promise.all([attribution.ready(), rewards.ready()]);

    async function drained(deadlineMs = 60_000, generation = 1): Promise<void> {
      const nothing = { lag: 0, outbox: 0, work: 0 };
      const look = async () =>
        expect(await chainBacklog(db, topics, generation)).to.deep.equal(nothing);
      await eventually(look, { deadlineMs, everyMs: 200 });
    }
    async function recovered(): Promise<void> {
      const running = [...attribution.replicas, ...rewards.replicas].filter((one) =>
        one.isRunning(),
      );
      await expectRecovered({ kafkaBrokers, db, running });
      await drained();
    }
    return {
      ...{ attribution, rewards, topics, postgresUrl: database.url, db },
      ...{ drained, recovered, stop },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
