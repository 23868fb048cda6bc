import { randomBytes } from 'node:crypto';
import {
  type CatalogRecord,
  catalogCodec,
  catalogSchemaVersion,
} from '@tributary/contracts/catalog-record';
import { type CodeRecord, codeCodec } from '@tributary/contracts/code-record';
import { refusalCodec, type RefusalRecord } from '@tributary/contracts/refusal-record';
import type { Codec } from '@tributary/contracts/record';
import { deadLetterCodec, type DeadLetterFact } from '@tributary/contracts/dead-letter-record';
import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import { type PersonRecord, personCodec } from '@tributary/contracts/people-record';
import { recordKey, type Topic, topicName } from '@tributary/contracts/topics';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { createKafka } from '@tributary/event-log/kafka';
import { readRecords, withoutCopies } from '@tributary/event-log/testing/read-records';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import {
  makeTokenSigningKey,
  parseTokenSigningKey,
  parseTokenVerifyKeys,
  verifyKeyOf,
} from '@tributary/runtime/token-keys';
import { createLogger, type Logger } from '@tributary/runtime/logger';
import { keyedDigest } from '@tributary/runtime/secrets';
import { patiently } from '@tributary/testkit/patience';
import { uniquePrefix } from '@tributary/testkit/topics';
import { type IngestSettings, startIngestApi } from '../app.ts';
import { runningCampaign } from '@tributary/contracts/testing/running-campaign';
import { eventually } from '@tributary/testkit/eventually';

export type Credentials = { accessKeyId: string; secretAccessKey: string };

/** The service on real servers, two tenants in its catalog, and eyes on its topics. */
export type IngestFixture = Awaited<ReturnType<typeof createIngestFixture>>;

export const tenantA: Credentials = { accessKeyId: 'key-a', secretAccessKey: 'secret-a' };
export const tenantB: Credentials = { accessKeyId: 'key-b', secretAccessKey: 'secret-b' };

export async function createIngestFixture(
  servers: { kafkaBrokers: string; redisUrl: string; postgresUrl: string },
  changes: Partial<IngestSettings> = {},
) {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const topics = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic) => topicName(topic, topics);
  const settings: IngestSettings = {
    environment: 'sandbox',
    host: '127.0.0.1',
    port: 0,
    adminPort: 0,
    kafka: { brokers: servers.kafkaBrokers.split(',') },
    postgres: { url: servers.postgresUrl, schema: 'ingest', poolSize: 4 },
    redis: { url: servers.redisUrl },
    redisKeyPrefix: topics.prefix,
    topics,
    group: `${topics.prefix}ingest-api-codes`,
    ...tokenKeys('k1'),
    accessKeyDigestKey: randomBytes(32),
    fingerprintKey: randomBytes(32),
    backdatingWindowDays: 90,
    eventsPerSecond: 10_000,
    tokensPerSecond: 50,
    appendDeadlineMs: Math.max(2_000, patiently(700)),
    eventsAtOnce: 1_000,
    ...changes,
  };
  const kafka = createKafka({ settings: settings.kafka, clientId: 'test', logger });
  await eventually(() => createTopics({ kafka, topics: topicSpecs(topics), logger }));
  const appender = await startPatientAppender(kafka);
  await appender.append(
    catalogOf(settings).map((entry) => ({ topic: nameOf('catalog'), ...entry })),
  );

  const recordsOf = <T>(topic: Topic, codec: Codec<T>): Promise<T[]> =>
    readRecords(kafka, nameOf(topic), codec);

  return {
    settings,
    async publishCode(code: CodeRecord): Promise<void> {
      const key = recordKey(code.tenantId, code.ucc);
      await appender.append([{ topic: nameOf('codes'), key, value: codeCodec.encode(code) }]);
    },
    /** A record of the codes that no reader understands. */
    publishPoison: (value: string) =>
      appender.append([{ topic: nameOf('codes'), key: recordKey('a', 'poison'), value }]),
    async publishCatalog(record: CatalogRecord): Promise<void> {
      const key = recordKey(record.tenantId);
      const value = catalogCodec.encode(record);
      await appender.append([{ topic: nameOf('catalog'), key, value }]);
    },
    /** Another process of the same deployment, as far as the servers can tell. */
    start: (as: Partial<IngestSettings> = {}) => startProcess({ ...settings, ...as }, logger),
    events: () => recordsOf<EventRecord>('events', eventCodec),
    // What an appender sent twice, as the brokers were slow to answer, is there once.
    refusals: async () => withoutCopies(await recordsOf<RefusalRecord>('refusals', refusalCodec)),
    people: async () => withoutCopies(await recordsOf<PersonRecord>('people', personCodec)),
    deadLetters: () => recordsOf<DeadLetterFact>('deadLetters', deadLetterCodec),
    stop: () => appender.stop(),
  };
}

export type IngestProcess = Awaited<ReturnType<typeof startProcess>>;

async function startProcess(settings: IngestSettings, logger: Logger) {
  const stops: (() => Promise<void> | void)[] = [];
  const onStop = (_name: string, stop: () => Promise<void> | void) => void stops.push(stop);
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  const { port, adminPort } = await startIngestApi(settings, { logger, onStop }).catch(
    async (error: unknown) => {
      await stop();
      throw error;
    },
  );
  const url = `http://127.0.0.1:${port}`;
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return {
    url,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    post,
    async token(credentials: Credentials): Promise<string> {
      const answer = await post('/token', credentials);
      const { accessToken } = (await answer.json()) as { accessToken: string };
      return `Bearer ${accessToken}`;
    },
    async purchase(token: string, body: unknown, key?: string): Promise<Answer> {
      const headers = {
        authorization: token,
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      };
      const answer = await post('/v2/events/purchase-created', body, headers);
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    },
    stop,
  };
}

export type Answer = { status: number; headers: Headers; text: string };

export function purchase(changes: Record<string, unknown> = {}) {
  return {
    ucc: 'AbCdEfGhIjK',
    occurredAt: new Date().toISOString(),
    newUser: { id: 'user_1', email: 'canary@example.com', name: 'Canary Name' },
    currency: 'EUR',
    invoiceId: 'inv_1',
    amount: 4900,
    subscription: { interval: 'monthly' },
    ...changes,
  };
}

function catalogOf(settings: IngestSettings) {
  const publishedAt = new Date().toISOString();
  return [
    { tenantId: 'a', ...tenantA },
    { tenantId: 'b', ...tenantB },
  ].flatMap(({ tenantId, accessKeyId, secretAccessKey }) => {
    const common = { schemaVersion: catalogSchemaVersion, tenantId, version: 1, publishedAt };
    const tenant = catalogCodec.encode({
      ...common,
      entity: 'tenant',
      name: tenantId,
      status: 'active',
      productId: `product-${tenantId}`,
      defaultCampaignId: 'c1',
    });
    const accessKey = catalogCodec.encode({
      ...common,
      entity: 'access-key',
      accessKeyId,
      secretDigest: keyedDigest(settings.accessKeyDigestKey, secretAccessKey),
      status: 'active',
    });
    const campaign = catalogCodec.encode(runningCampaign(tenantId, 'c1'));
    return [tenant, campaign, accessKey].map((value) => ({ key: recordKey(tenantId), value }));
  });
}

/** A key of access tokens, both halves. */
export function tokenKeys(keyId: string) {
  const signingKey = makeTokenSigningKey(keyId);
  return {
    tokenSigningKey: parseTokenSigningKey(signingKey),
    tokenVerifyKeys: parseTokenVerifyKeys(verifyKeyOf(signingKey)),
  };
}
