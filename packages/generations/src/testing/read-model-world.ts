import { type Topic, topicName } from '@tributary/contracts/topics';
import { createAppender } from '@tributary/event-log/appender';
import { createKafka } from '@tributary/event-log/kafka';
import { silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import pg from 'pg';
import { type ReadModel, type ReadModelPlan, startReadModel } from '../start-read-model.ts';

/** A record on its topic, as text. */
export type OnLog = { topic: Topic; key: string; value: string | null };

/** Topics and a database of their own, in which read models are built as in production. */
export type ReadModelWorld = {
  publish(records: readonly OnLog[]): Promise<void>;
  /** Another schema is another read model of the same topics. */
  start(schema?: string): Promise<RunningReadModel>;
  end(): Promise<void>;
};

export type RunningReadModel = ReadModel & {
  /** Resolves when everything that is on the log now is in it. */
  caughtUp(): Promise<void>;
  dump(): Promise<string>;
  stop(): Promise<void>;
};

export async function createReadModelWorld(options: {
  plan: ReadModelPlan;
  /** What is told by `dump`. */
  tables: readonly string[];
}): Promise<ReadModelWorld> {
  const { plan, tables } = options;
  const { kafkaBrokers } = await getServers();
  const database = await createDatabase();
  const logger = silentLogger;
  const settings = { brokers: kafkaBrokers.split(',') };
  const wiring = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic) => topicName(topic, wiring);
  const kafka = createKafka({ settings, clientId: 'test', logger });
  await createTopics({ kafka, topics: topicSpecs(wiring), logger });
  const appender = createAppender({ kafka, logger, deadlineMs: 30_000 });
  await appender.start();
  await eventually(() => {
    if (!appender.health().ok) throw new Error('the brokers do not answer');
  });
  const running = new Set<RunningReadModel>();

  return {
    async publish(records) {
      // One after the other: the order of a key is the order of this list.
      for (const { topic, key, value } of records) {
        // A machine with much to do may acknowledge too late; a copy must change nothing anyway.
        await eventually(() => appender.append([{ topic: nameOf(topic), key, value }]), {
          deadlineMs: 30_000,
        });
      }
    },

    async start(schema = 'read_model') {
      const stops: (() => Promise<void> | void)[] = [];
      const model = await startReadModel({
        plan,
        postgres: { url: database.url, schema, poolSize: 5 },
        group: `${wiring.prefix}${schema}`,
        kafka,
        appender,
        nameOf,
        logger,
        onStop: (_name, stop) => void stops.push(stop),
        ...{ generation: 1, isLive: () => true },
      });
      const one: RunningReadModel = {
        ...model,
        async caughtUp() {
          const since = Date.now();
          await eventually(
            () => {
              const asOf = model.freshness.asOf()?.getTime() ?? 0;
              if (asOf < since) throw new Error(`${model.freshness.behind()} records behind`);
            },
            { deadlineMs: 30_000 },
          );
        },
        dump: () => dumpTables(database.url, schema, tables),
        async stop() {
          running.delete(one);
          for (const stop of stops.splice(0).reverse()) await stop();
        },
      };
      running.add(one);
      return one;
    },

    async end() {
      await Promise.all([...running].map((model) => model.stop()));
      await appender.stop();
      await database.drop();
    },
  };
}

/** Every row of every table as text, in the order of the rows' text. */
export async function dumpTables(
  url: string,
  schema: string,
  tables: readonly string[],
): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let dump = '';
    for (const table of tables) {
      const { rows } = await client.query<{ row: string }>(
        `select to_json(t)::text as row from ${schema}.${table} t order by 1`,
      );
      dump += rows.map(({ row }) => `${table} ${row}\n`).join('');
    }
    return dump;
  } finally {
    await client.end();
  }
}
