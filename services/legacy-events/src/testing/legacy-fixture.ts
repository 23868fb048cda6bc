import {
  type CatalogRecord,
  catalogCodec,
  catalogSchemaVersion,
} from '@tributary/contracts/catalog-record';
import { eventCodec } from '@tributary/contracts/event-record';
import { personCodec } from '@tributary/contracts/people-record';
import { refusalCodec } from '@tributary/contracts/refusal-record';
import { type Topic, topicName } from '@tributary/contracts/topics';
import type { Appender } from '@tributary/event-log/appender';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { createKafka } from '@tributary/event-log/kafka';
import { readRecords } from '@tributary/event-log/testing/read-records';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createTokenSigner } from '@tributary/http/tokens';
import { systemClock } from '@tributary/runtime/clock';
import {
  makeTokenSigningKey,
  parseTokenSigningKey,
  parseTokenVerifyKeys,
  verifyKeyOf,
} from '@tributary/runtime/token-keys';
import { createLogger, type Logger } from '@tributary/runtime/logger';
import { uniquePrefix } from '@tributary/testkit/topics';
import { startLegacyEvents } from '../app.ts';
import { eventually } from '@tributary/testkit/eventually';

const silent = createLogger({ service: 'test', level: 'silent' });

/** The service on a real log, two tenants in its catalog, and eyes on its topics. */
export type LegacyFixture = Awaited<ReturnType<typeof createLegacyFixture>>;

export async function createLegacyFixture(brokers: string, logger: Logger = silent) {
  const kafkaSettings = { brokers: brokers.split(',') };
  const topics = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic) => topicName(topic, topics);
  const signingKey = makeTokenSigningKey('k1');
  const tokenKeys = parseTokenVerifyKeys(verifyKeyOf(signingKey));
  const kafka = createKafka({ settings: kafkaSettings, clientId: 'test', logger: silent });
  await eventually(() =>
    createTopics({
      kafka,
      topics: topicSpecs(topics, ['events', 'people', 'catalog', 'refusals']),
      logger: silent,
    }),
  );
  const appender = await startPatientAppender(kafka);
  await publishCatalog(appender, nameOf('catalog'));

  const stops: (() => Promise<void> | void)[] = [() => appender.stop()];
  const { port, adminPort } = await startLegacyEvents(
    {
      environment: 'sandbox',
      host: '127.0.0.1',
      port: 0,
      adminPort: 0,
      kafka: kafkaSettings,
      topics,
      tokenKeys,
      backdatingWindowDays: 90,
      eventsPerSecond: 10_000,
    },
    { logger, onStop: (_name, stop) => void stops.push(stop) },
  );
  const url = `http://127.0.0.1:${port}`;
  const sign = createTokenSigner({
    key: parseTokenSigningKey(signingKey),
    environment: 'sandbox',
    clock: systemClock,
    lifetimeSeconds: 300,
  });
  const tokenFor = (tenantId: string, accessKeyId: string) =>
    sign({ tenantId, accessKeyId }).accessToken;
  const token = tokenFor('t1', 'key-1');

  return {
    url,
    port,
    token,
    tokenFor,
    post: (body: unknown) => send(url, { token, body: Buffer.from(JSON.stringify(body)) }),
    send: (request: Sent) => send(url, { token, ...request }),
    metrics: async () => (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text(),
    /** Status of /readyz. */
    readiness: async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status,
    events: () => readRecords(kafka, nameOf('events'), eventCodec),
    refusals: () => readRecords(kafka, nameOf('refusals'), refusalCodec),
    people: () => readRecords(kafka, nameOf('people'), personCodec),
    async stop() {
      for (const stop of stops.reverse()) await stop();
    },
  };
}

export type Sent = {
  method?: string;
  path?: string;
  token?: string;
  headers?: Record<string, string>;
  body?: Buffer;
};

async function send(url: string, { method = 'POST', path = '/events', ...sent }: Sent) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(sent.token && { authorization: `Bearer ${sent.token}` }), ...sent.headers },
    ...(sent.body && { body: new Uint8Array(sent.body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

async function publishCatalog(appender: Appender, topic: string): Promise<void> {
  const common = {
    schemaVersion: catalogSchemaVersion,
    version: 1,
    publishedAt: '2026-01-01T00:00:00.000Z',
  };
  const key = (accessKeyId: string, status: 'active' | 'revoked') => ({
    ...common,
    tenantId: 't1',
    entity: 'access-key' as const,
    accessKeyId,
    secretDigest: 'digest',
    status,
  });
  const tenant = (tenantId: string) => ({
    ...common,
    tenantId,
    entity: 'tenant' as const,
    name: tenantId,
    status: 'active' as const,
    productId: `product-of-${tenantId}`,
    defaultCampaignId: null,
  });
  const records: CatalogRecord[] = [
    tenant('t1'),
    tenant('t2'),
    key('key-1', 'active'),
    key('revoked-key', 'revoked'),
  ];
  await appender.append(
    records.map((record) => ({ topic, key: record.tenantId, value: catalogCodec.encode(record) })),
  );
}
