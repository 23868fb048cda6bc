import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  catalogCodec,
  catalogSchemaVersion,
  type WebhookEndpointRecord,
} from '@tributary/contracts/catalog-record';
import { deliveryCodec, type DeliveryFact } from '@tributary/contracts/delivery-record';
import {
  issuanceCodec,
  type IssuanceRecord,
  issuanceSchemaVersion,
} from '@tributary/contracts/issuance-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { recordKey, type Topic, topicName } from '@tributary/contracts/topics';
import { createAppender, type Entry } from '@tributary/event-log/appender';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { withoutCopies } from '@tributary/event-log/testing/read-records';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { sealSecret } from '@tributary/runtime/secrets';
import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import pg from 'pg';
import { expectRecovered } from '../recovered.ts';
import { type Dispatcher, startDispatcherProcess } from './dispatcher.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { environmentOf, type Limits } from './settings.ts';

/** Topics, a database, a receiver, and dispatcher processes on them. */
export type World = Awaited<ReturnType<typeof createWorld>>;

/** `servers` are a test's own, that it may stop; else the shared ones. */
export async function createWorld(
  options: { limits?: Limits; servers?: { kafkaBrokers: string; postgresUrl: string } } = {},
) {
  const stops: (() => Promise<unknown>)[] = [];
  const { kafkaBrokers, postgresUrl } = options.servers ?? (await sharedServers(stops));
  const prefix = uniquePrefix();
  const wiring = { prefix, generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic) => topicName(topic, wiring);
  const logs = await mkdtemp(join(tmpdir(), 'tributary-webhooks-'));
  stops.push(() => rm(logs, { recursive: true, force: true }));
  const kafka = connectTo(kafkaBrokers);
  const used = topicSpecs(wiring, ['issuances', 'deliveries', 'catalog', 'deadLetters']);
  await createTopics({ kafka, topics: used, logger: silentLogger });
  const appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
  await appender.start();
  stops.push(() => appender.stop());
  await eventually(() => expect(appender.health().ok).to.equal(true));
  const db = createReader(postgresUrl);
  stops.push(() => db.end());
  const receiver: Receiver = await startReceiver();
  stops.push(() => receiver.stop());

  const keyRing = [{ keyId: 'k1', key: randomBytes(32) }];
  const processes: Dispatcher[] = [];
  const catalogVersions = new Map<string, number>();
  stops.push(() => Promise.all(processes.map((one) => one.kill())));

  /** Refused while the brokers are away; a copy of a record changes nothing. */
  async function append(entries: readonly Entry[]): Promise<void> {
    await eventually(() => appender.append(entries), { deadlineMs: 60_000, everyMs: 100 });
  }

  return {
    db,
    receiver,
    processes,
    nameOf,

    start(startOptions: { skewMs?: number; limits?: Limits } = {}): Dispatcher {
      const { skewMs, limits } = startOptions;
      const name = `dispatcher-${processes.length + 1}`;
      const started = startDispatcherProcess({
        name,
        logFile: join(logs, `${name}.log`),
        env: environmentOf({
          ...{ kafkaBrokers, postgresUrl, prefix },
          keyRing: `k1:${keyRing[0]!.key.toString('base64')}`,
          limits: { ...options.limits, ...limits },
        }),
        ...(skewMs !== undefined && { skewMs }),
      });
      processes.push(started);
      return started;
    },

    /** Tells the catalog of an endpoint; the default is an active one in the receiver. */
    async setEndpoints(
      tenantIds: readonly string[],
      changes: Partial<WebhookEndpointRecord> = {},
    ): Promise<void> {
      await append(
        tenantIds.map((tenantId) => {
          const version = (catalogVersions.get(tenantId) ?? 0) + 1;
          catalogVersions.set(tenantId, version);
          const record: WebhookEndpointRecord = {
            schemaVersion: catalogSchemaVersion,
            entity: 'webhook-endpoint',
            tenantId,
            version,
            publishedAt: new Date().toISOString(),
            url: receiver.urlOf(tenantId),
            username: 'hook-user',
            sealedPassword: sealSecret(
              keyRing,
              'hook-password',
              secretContext(tenantId, 'webhook-password'),
            ),
            status: 'active',
            ...changes,
          };
          return {
            topic: nameOf('catalog'),
            key: recordKey(tenantId),
            value: catalogCodec.encode(record),
          };
        }),
      );
    },

    /** Grants so many rewards of the tenant; gives their webhooks' event ids. */
    async issue(
      tenantId: string,
      count: number,
      changes: Partial<IssuanceRecord> = {},
    ): Promise<string[]> {
      const records = Array.from({ length: count }, () => issuanceOf(tenantId, changes));
      for (let from = 0; from < count; from += 1_000) {
        await append(
          records.slice(from, from + 1_000).map((record) => ({
            topic: nameOf('issuances'),
            key: recordKey(tenantId, record.recipientId),
            value: issuanceCodec.encode(record),
          })),
        );
      }
      return records.map(({ webhookEventId }) => webhookEventId);
    },

    /** What stands on the deliveries topic, as its readers take it. */
    async facts(): Promise<DeliveryFact[]> {
      const found: DeliveryFact[] = [];
      await scanTopic({
        kafka,
        logger: silentLogger,
        topic: nameOf('deliveries'),
        codec: deliveryCodec,
        onRecord: ({ value }) => {
          if (value !== null) found.push(value);
        },
      });
      return withoutCopies(found);
    },

    /** Without anything new and without a restart, see recovered.ts. */
    recovered(): Promise<void> {
      const running = processes.filter((one) => one.isRunning());
      return expectRecovered({ kafkaBrokers, db, running });
    },

    async stop(): Promise<void> {
      for (const stopOne of stops.splice(0).reverse()) await stopOne();
    },
  };
}

async function sharedServers(stops: (() => Promise<unknown>)[]) {
  const { kafkaBrokers } = await getServers();
  const database = await createDatabase();
  stops.push(() => database.drop());
  return { kafkaBrokers, postgresUrl: database.url };
}

/** Connections that are made anew when the server was away. */
function createReader(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    options: '-c search_path=dispatch',
    application_name: 'fault-test',
    max: 4,
    connectionTimeoutMillis: patiently(2_000),
    query_timeout: patiently(5_000),
  });
  pool.on('error', () => undefined);
  return pool;
}

function issuanceOf(tenantId: string, changes: Partial<IssuanceRecord>): IssuanceRecord {
  return {
    schemaVersion: issuanceSchemaVersion,
    type: 'issued',
    issuanceId: randomUUID(),
    rewardId: randomUUID(),
    tenantId,
    campaignId: 'c1',
    recipientId: `referrer-${randomUUID()}`,
    rewardType: 'credits',
    credits: '12.50',
    issuedAt: new Date().toISOString(),
    webhookEventId: randomUUID(),
    ...changes,
  };
}
