import { readFileSync } from 'node:fs';
import { Type } from '@sinclair/typebox';
import { createCodec } from '@tributary/contracts/record';
import { topicSettings } from '@tributary/contracts/topics';
import { createLogger, type Logger } from '@tributary/runtime/logger';
import { createPool } from '@tributary/runtime/postgres';
import { migrate } from '@tributary/runtime/migrate';
import type { KafkaSettings } from '@tributary/runtime/variables';
import kafkajs from 'kafkajs';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Entry } from './appender.ts';
import { createKafka, type KafkaConnection } from './kafka.ts';
import { deleteTopics } from './remove-from-brokers.ts';
import { eventLogMigrations } from './migrations.ts';
import { readLeftRows, removeRows } from './outbox-rows.ts';
import { createTopics, type TopicSpec } from './topic-admin.ts';

/** Helpers for specs of this package and of services that need raw access to a topic. */
export const silentLogger: Logger = createLogger({ service: 'test', level: 'silent' });

export function connectTo(
  where: string | KafkaAddress,
  logger = silentLogger,
  compression: 'none' | 'zstd' = 'zstd',
): KafkaConnection {
  const address: KafkaAddress = typeof where === 'string' ? { kafkaBrokers: where } : where;
  const { kafkaBrokers, kafkaSasl: sasl, caFile } = address;
  const settings: KafkaSettings = {
    ...{ brokers: kafkaBrokers.split(','), compression, ...(sasl && { sasl }) },
    ...(caFile !== undefined && { tls: { ca: readFileSync(caFile, 'utf8') } }),
  };
  return createKafka({ settings, clientId: 'test', logger });
}

/** Brokers, and who one is there where they ask for it. */
export type KafkaAddress = {
  kafkaBrokers: string;
  kafkaSasl?: NonNullable<KafkaSettings['sasl']>;
  /** Whom one believes, where they are encrypted. */
  caFile?: string;
};

/** A schema of its own with the tables of this package, and a pool whose search path is it. */
export async function preparePool(url: string, schema = 'test_projection'): Promise<pg.Pool> {
  const settings = { url, schema, poolSize: 10 };
  await migrate({ settings, schema, sets: [eventLogMigrations], logger: silentLogger });
  return createPool(settings, {
    searchPath: [schema],
    applicationName: 'test',
    logger: silentLogger,
  });
}

export function plainTopic(topic: string, partitions = 3): TopicSpec {
  return { topic, partitions, replication: 1, settings: topicSettings('events') };
}

/** Tries a few times: slow brokers may not do it in time. */
export async function makeTopics(kafka: KafkaConnection, ...specs: TopicSpec[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await createTopics({ kafka, topics: specs, logger: silentLogger });
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

/** Waits until no broker lists it, so that one made next under its name is another one. */
export function deleteTopic(kafka: KafkaConnection, topic: string): Promise<void> {
  return deleteTopics(kafka, [topic]);
}

/** Takes all records away that are there now, as the end of their retention does. */
export async function expireAll(kafka: KafkaConnection, topic: string): Promise<void> {
  const admin = kafka.client.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic);
  const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
  await admin.deleteTopicRecords({ topic, partitions });
  await admin.disconnect();
}

/** Sets these settings of a topic, takes all others back to their defaults, and waits for these. */
export async function replaceTopicSettings(
  kafka: KafkaConnection,
  topic: string,
  settings: Record<string, string>,
): Promise<void> {
  const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  const admin = kafka.client.admin();
  await admin.connect();
  try {
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type, name: topic, configEntries }],
    });
    const deadline = performance.now() + 30_000;
    while (!(await areInForce(admin, topic, settings))) {
      if (performance.now() > deadline) throw new Error(`settings of ${topic} are not in force`);
      await delay(50);
    }
  } finally {
    await admin.disconnect();
  }
}

async function areInForce(
  admin: kafkajs.Admin,
  topic: string,
  settings: Record<string, string>,
): Promise<boolean> {
  const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }];
  const described = await admin.describeConfigs({ resources, includeSynonyms: false });
  const entries = described.resources[0]?.configEntries ?? [];
  return Object.entries(settings).every(([name, value]) =>
    entries.some(({ configName, configValue }) => configName === name && configValue === value),
  );
}

/** The records that wait in an outbox, in order. */
export async function readOutbox(db: Pick<pg.Pool, 'query'>, table = 'outbox'): Promise<Entry[]> {
  return (await readLeftRows(db, table, allRows)).flatMap(({ entries }) => entries);
}

/** The same, and the outbox is empty: as if a relay had sent them. */
export async function takeOutbox(db: Pick<pg.Pool, 'query'>, table = 'outbox'): Promise<Entry[]> {
  const rows = await readLeftRows(db, table, allRows);
  await removeRows(db, table, rows);
  return rows.flatMap(({ entries }) => entries);
}

const allRows = { after: '0', except: [], known: [], olderThanMs: -1, maxRecords: 1_000_000 };

/** The smallest record: a key of its own and a number. */
export const noteCodec = createCodec({
  name: 'note',
  schemaVersion: 1,
  schema: Type.Object({ schemaVersion: Type.Literal(1), n: Type.Integer() }),
});

export function note(n: number): string {
  return noteCodec.encode({ schemaVersion: 1, n });
}
