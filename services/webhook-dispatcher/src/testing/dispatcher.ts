import {
  type CatalogRecord,
  catalogCodec,
  catalogSchemaVersion,
  type WebhookEndpointStatus,
} from '@tributary/contracts/catalog-record';
import { deliveryCodec, type DeliveryRecord } from '@tributary/contracts/delivery-record';
import { issuanceCodec, type IssuanceRecord } from '@tributary/contracts/issuance-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { recordKey, type Topic, topicName } from '@tributary/contracts/topics';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { createKafka } from '@tributary/event-log/kafka';
import { partitionOf } from '@tributary/event-log/partitioner';
import { readRecords } from '@tributary/event-log/testing/read-records';
import { countPartitions, createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { sealSecret } from '@tributary/runtime/secrets';
import { createDatabase, queryOnce } from '@tributary/testkit/database';
import { patiently } from '@tributary/testkit/patience';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { randomBytes } from 'node:crypto';
import { parseNetworks } from '@tributary/guarded-connections/address-rules';
import { type DispatcherSettings, startDispatcher } from '../app.ts';
import { parsePorts } from '../domain/allowed-ports.ts';
import { breakerSettings } from '../domain/breaker.ts';
import type { Observe } from '../test-hooks.ts';
import { silentLogger } from './database.ts';
import { eventually } from '@tributary/testkit/eventually';

/** Topics, a database and keys of their own, in which dispatchers are built as in production. */
export type DispatcherWorld = {
  databaseUrl: string;
  start(changes?: {
    schema?: string;
    environment?: 'prod' | 'sandbox';
    worker?: Partial<DispatcherSettings['worker']>;
    observe?: Observe;
  }): Promise<{ adminUrl: string; stop: () => Promise<void> }>;
  issue(...records: IssuanceRecord[]): Promise<void>;
  setEndpoint(
    url: string,
    changes?: { version?: number; tenantId?: string; status?: WebhookEndpointStatus },
  ): Promise<void>;
  /** Stops the partition of the deliveries topic in which this key is, for whoever reads it. */
  stopDeliveriesOf(tenantId: string, webhookEventId: string): Promise<void>;
  /** Whether deliveries share a partition of the deliveries topic. */
  deliveriesPartition(tenantId: string, webhookEventId: string): Promise<number>;
  deliveries(): Promise<DeliveryRecord[]>;
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** How many deliveries there are in each state. */
  states(): Promise<Record<string, number>>;
  end(): Promise<void>;
};

export const internalToken = 'an-internal-token-of-tests';

export const credentials = { username: 'hook-user', password: 'pässword:1' };

export async function createDispatcherWorld(): Promise<DispatcherWorld> {
  const { kafkaBrokers } = await getServers();
  const database = await createDatabase();
  const kafkaSettings = { brokers: kafkaBrokers.split(',') };
  const topics = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic) => topicName(topic, topics);
  const logger = silentLogger;
  const kafka = createKafka({ settings: kafkaSettings, clientId: 'test', logger });
  const used = topicSpecs(topics, ['issuances', 'deliveries', 'catalog', 'deadLetters']);
  await eventually(() => createTopics({ kafka, topics: used, logger }));
  const appender = await startPatientAppender(kafka);
  const secrets = [{ keyId: 'k1', key: randomBytes(32) }];
  let running: (() => Promise<void>)[] = [];

  return {
    databaseUrl: database.url,

    async start({ schema = 'dispatch', environment = 'sandbox', worker = {}, observe } = {}) {
      const settings: DispatcherSettings = {
        environment,
        host: '127.0.0.1',
        adminPort: 0,
        kafka: kafkaSettings,
        postgres: { url: database.url, schema, poolSize: 10 },
        topics,
        group: `dispatcher-${topics.prefix}${schema}`,
        secrets,
        internalTokens: [internalToken],
        endpoints: {
          answerLimitBytes: 16_384,
          allowedNetworks: parseNetworks('127.0.0.0/8,::1/128'),
          allowedPorts: parsePorts('1-65535'),
          dnsServers: [],
        },
        worker: {
          name: 'test',
          maxInFlight: 32,
          maxInFlightPerEndpoint: 16,
          timeoutMs: patiently(2_000),
          leaseMs: patiently(4_000),
          pollMs: 100,
          retryDelaysMs: [20, 1_800_000, 1_800_000],
          horizonMs: 3_600_000,
          ...worker,
        },
        breaker: breakerSettings,
        maintenance: {
          expireEveryMs: 500,
          attemptDays: 30,
          deliveryDays: 90,
          retentionEveryMs: 60_000,
        },
        sweepMs: 200,
        backlogLimit: 100_000,
        failingAfterMs: 48 * 3_600_000,
      };
      const stops: (() => Promise<void> | void)[] = [];
      const { adminPort } = await startDispatcher(settings, {
        logger,
        onStop: (_name, stop) => void stops.push(stop),
        ...(observe && { observe }),
      });
      const stop = async () => {
        running = running.filter((other) => other !== stop);
        for (const one of stops.splice(0).reverse()) await one();
      };
      running.push(stop);
      return { adminUrl: `http://127.0.0.1:${adminPort}`, stop };
    },

    async issue(...records) {
      const entries = records.map((record) => ({
        topic: nameOf('issuances'),
        key: recordKey(record.tenantId, record.recipientId),
        value: issuanceCodec.encode(record),
      }));
      await appender.append(entries);
    },

    async setEndpoint(url, { version = 1, tenantId = 't1', status = 'active' } = {}) {
      const context = secretContext(tenantId, 'webhook-password');
      const record: CatalogRecord = {
        schemaVersion: catalogSchemaVersion,
        tenantId,
        version,
        publishedAt: new Date().toISOString(),
        entity: 'webhook-endpoint',
        url,
        username: credentials.username,
        sealedPassword: sealSecret(secrets, credentials.password, context),
        status,
      };
      const value = catalogCodec.encode(record);
      await appender.append([{ topic: nameOf('catalog'), key: recordKey(tenantId), value }]);
    },

    async stopDeliveriesOf(tenantId, webhookEventId) {
      const key = recordKey(tenantId, webhookEventId);
      const value = '{"schemaVersion":99}';
      await appender.append([{ topic: nameOf('deliveries'), key, value }]);
    },

    async deliveriesPartition(tenantId, webhookEventId) {
      const topic = nameOf('deliveries');
      const key = recordKey(tenantId, webhookEventId);
      return partitionOf(topic, key, await countPartitions(kafka, topic));
    },

    async deliveries() {
      const facts = await readRecords(kafka, nameOf('deliveries'), deliveryCodec);
      return facts.filter((fact) => fact.type === 'attempted');
    },

    async query(sql) {
      return (await queryOnce<Record<string, unknown>>(database.url, sql)).rows;
    },

    async states() {
      const { rows } = await queryOnce<{ state: string; n: number }>(
        database.url,
        'select state, count(*)::int as n from dispatch.delivery group by 1',
      );
      return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
    },

    async end() {
      await Promise.all(running.map((stop) => stop()));
      await appender.stop();
      await database.drop();
    },
  };
}
