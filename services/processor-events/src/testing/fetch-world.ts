import {
  catalogSchemaVersion,
  type ProcessorConnectionRecord,
} from '@tributary/contracts/catalog-record';
import { eventCodec, type EventRecord } from '@tributary/contracts/event-record';
import { processorCodec, type ProcessorRecord } from '@tributary/contracts/processor-record';
import { type Topic, topicName } from '@tributary/contracts/topics';
import { createCatchUp } from '@tributary/event-log/catch-up';
import { createKafka } from '@tributary/event-log/kafka';
import { createRelay } from '@tributary/event-log/relay';
import { createProjection, source } from '@tributary/event-log/projection';
import { readRecords, withoutCopies } from '@tributary/event-log/testing/read-records';
import { startWhenCaughtUp } from '@tributary/event-log/start-when-caught-up';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import type { Clock } from '@tributary/runtime/clock';
import { patiently } from '@tributary/testkit/patience';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { appendRecords } from '../log/append-records.ts';
import { createApplyRecords, processorSource } from '../log/apply-records.ts';
import { putConnections } from '../db/connections.ts';
import {
  createFetchWorker,
  defaultFetchSettings,
  type FetchNeed,
} from '../workers/fetch-worker.ts';
import type { Observe } from '../test-hooks.ts';
import {
  createProcessorDatabase,
  metadataTtlMs,
  migrateProcessor,
  silentLogger,
} from './database.ts';
import { connectionId } from './records.ts';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { eventually } from '@tributary/testkit/eventually';

export const connection: ProcessorConnectionRecord = {
  schemaVersion: catalogSchemaVersion,
  entity: 'processor-connection',
  tenantId: 't1',
  connectionId,
  processor: 'stripe',
  version: 1,
  publishedAt: '2026-03-01T00:00:00.000Z',
  connectedAt: '2026-03-01T00:00:00.000Z',
  apiVersion: '2025-03-31.basil',
  livemode: false,
  taxPolicy: 'gross',
  sealedApiKey: 'v1.sealed',
  endpoint: { id: 'we_1', sealedSecret: 'v1.sealed' },
  status: 'active',
};

/**
 * Projection, relay and worker on topics and a database of their own; only Stripe is a function.
 */
export async function createFetchWorld() {
  const { kafkaBrokers } = await getServers();
  const database = await createProcessorDatabase();
  const { pool } = database;
  const topics = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic) => topicName(topic, topics);
  const logger = silentLogger;
  const settings = { brokers: kafkaBrokers.split(',') };
  const kafka = createKafka({ settings, clientId: 'test', logger });
  await eventually(() =>
    createTopics({
      kafka,
      topics: topicSpecs(topics, ['events', 'processor', 'deadLetters']),
      logger,
    }),
  );
  const appender = await startPatientAppender(kafka);
  let running: (() => Promise<void>)[] = [];

  async function start(
    fetch: FetchNeed,
    options: { observe?: Observe; leaseMs?: number; clock?: Clock } = {},
  ) {
    const { observe, leaseMs = patiently(1_500), clock } = options;
    const relay = createRelay({ pool, appender, logger });
    await relay.start();
    const worker = createFetchWorker({
      pool,
      logger,
      appender,
      processorTopic: nameOf('processor'),
      connectionOf: (id) => (id === connectionId ? connection : undefined),
      fetch,
      settings: { ...defaultFetchSettings, leaseMs, pollMs: 100 },
      observe,
      ...(clock && { clock }),
    });
    const projection = createProjection({
      kafka,
      logger,
      pool,
      name: 'processor-events',
      group: `processor-${topics.prefix}`,
      sources: [source(processorSource, nameOf('processor'), processorCodec)],
      apply: createApplyRecords({
        logger,
        eventsTopic: nameOf('events'),
        metadataTtlMs,
        observe,
      }),
      deadLetterTopic: nameOf('deadLetters'),
      onCommitted: () => worker.wake(),
    });
    await projection.start();
    const gate = startWhenCaughtUp({
      logger,
      work: 'questions',
      caughtUp: createCatchUp({
        kafka,
        pool,
        name: 'processor-events',
        projection,
        topics: [nameOf('processor')],
      }),
      start: () => worker.start(),
    });
    const stop = async () => {
      running = running.filter((other) => other !== stop);
      gate.stop();
      await worker.stop();
      await projection.stop();
      await relay.stop();
    };
    running.push(stop);
    return { stop };
  }

  await putConnections(pool, [connection]);
  return {
    pool,
    start,
    report: (...records: ProcessorRecord[]) =>
      appendRecords(appender, nameOf('processor'), records),
    /** What is on the log of this service, in the order of each partition. */
    records: (): Promise<ProcessorRecord[]> =>
      readRecords(kafka, nameOf('processor'), processorCodec),
    facts: async (): Promise<EventRecord[]> =>
      withoutCopies(await readRecords(kafka, nameOf('events'), eventCodec)),
    /** As after the loss of the database; nothing may be running. */
    async dropSchema(): Promise<void> {
      await pool.query('drop schema processor cascade');
      await migrateProcessor(database.settings);
      await putConnections(pool, [connection]);
    },
    async end() {
      for (const stop of [...running]) await stop();
      await appender.stop();
      await database.drop();
    },
  };
}
