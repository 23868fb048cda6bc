import { type CatalogRecord, catalogCodec } from '@tributary/contracts/catalog-record';
import { eventCodec, type EventRecord } from '@tributary/contracts/event-record';
import { personCodec, type PersonRecord } from '@tributary/contracts/people-record';
import type { Codec } from '@tributary/contracts/record';
import { type Topic, topicName } from '@tributary/contracts/topics';
import { type Appender, createAppender } from '@tributary/event-log/appender';
import { createKafka, type KafkaConnection } from '@tributary/event-log/kafka';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createTokenSigner } from '@tributary/http/tokens';
import { systemClock } from '@tributary/runtime/clock';
import { createLogger } from '@tributary/runtime/logger';
import { eventually } from '@tributary/testkit/eventually';
import { startOwned } from '@tributary/testkit/owned-servers';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { startLegacyEvents } from './app.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const tokenKeys = [{ keyId: 'k1', key: randomBytes(32) }];

describe('legacy-events', () => {
  let legacy: Awaited<ReturnType<typeof startWorld>>;
  let token: string;

  before(async () => {
    legacy = await startWorld((await getServers()).kafkaBrokers);
    token = tokenFor('t1', 'key-1');
  });

  after(() => legacy.stop());

  it('answers 200 {success: true} and the event is on the log (4.4)', async () => {
    const answer = await post(payment('inv-1'));
    expect(answer).to.deep.include({ status: 200, body: { success: true } });
    const event = (await legacy.events()).find((e) => invoiceOf(e) === 'inv-1');
    expect(event).to.include({ tenantId: 't1', source: 'legacy', eventType: 'purchase-created' });
    expect(event).to.have.nested.property('purchase.amount', 4900);
  });

  it('takes a signup, puts the person on the people topic and keeps it out of the event', async () => {
    const answer = await post({
      payload: { ucc: 'CODE1', newUserId: 'signup-1', price: 0, currency: '' },
      context: { newUser: { name: 'Ann Example', email: 'ann@example.com' } },
    });
    expect(answer.status).to.equal(200);
    const event = (await legacy.events()).find((e) => e.newUser.id === 'signup-1');
    expect(event?.eventType).to.equal('signup-created');
    expect(JSON.stringify(event)).not.to.match(/Ann|example/);
    const person = (await legacy.people()).find((p) => p.userId === 'signup-1');
    expect(person).to.include({ name: 'Ann Example', email: 'ann@example.com', tenantId: 't1' });
  });

  it('answers 400 naming newUserId when it is missing (7 rule 3)', async () => {
    const answer = await post({ payload: { ucc: 'CODE1' } });
    expect(answer).to.deep.include({
      status: 400,
      body: { message: 'payload.newUserId is missing' },
    });
  });

  it('answers 400 to what is no JSON object', async () => {
    for (const text of ['', '{', '[]', 'null', '"text"', '\xff']) {
      const answer = await send({ body: Buffer.from(text, 'latin1') });
      expect(answer.status, JSON.stringify(text)).to.equal(400);
      expect(Object.keys(answer.body)).to.deep.equal(['message']);
    }
  });

  it('answers 401 without a valid token, before it looks at the body (5)', async () => {
    const revoked = tokenFor('t1', 'revoked-key');
    const otherTenant = tokenFor('t2', 'key-1');
    for (const authorization of [
      undefined,
      'Bearer x',
      `Basic ${token}`,
      `Bearer ${revoked}`,
      `Bearer ${otherTenant}`,
    ]) {
      const answer = await send({ body: Buffer.from('{'), authorization });
      expect(answer.status, authorization).to.equal(401);
      expect(answer.body).to.have.all.keys('message');
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
    }
  });

  it('answers 413 over 64 KiB and takes what is just below', async () => {
    const pad = (length: number) => ({ ...payment('inv-pad'), padding: 'x'.repeat(length) });
    expect((await post(pad(65_536))).status).to.equal(413);
    expect((await post(pad(64_000))).status).to.equal(200);
  });

  it('answers 404 {message} on other paths, /v1/events among them (4.4)', async () => {
    for (const path of ['/v1/events', '/events/', '/EVENTS', '/', '/events%00']) {
      const answer = await send({ path, body: Buffer.from('{}') });
      expect(answer.status, path).to.equal(404);
      expect(answer.body).to.have.all.keys('message');
    }
    expect((await fetch(`${legacy.url}/events`)).status).to.equal(405);
  });

  it('answers every request with the id that the edge gave it', async () => {
    for (const [path, status] of [
      ['/events', 401],
      ['/nothing', 404],
    ] as const) {
      const headers = { 'x-request-id': 'edge-id-1' };
      const answer = await fetch(`${legacy.url}${path}`, { method: 'POST', headers });
      expect([answer.status, answer.headers.get('x-request-id')]).to.eql([status, 'edge-id-1']);
    }
  });

  it('counts unknown fields by name, never by value, in bounded number', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`odd${n}`, 'secret-value']),
    );
    await post({ ...payment('inv-odd'), ...many, 'ann@example.com': 1 });
    const text = await (await fetch(`${legacy.adminUrl}/metrics`)).text();
    const labels = text.match(/legacy_events_unknown_fields_total\{/g) ?? [];
    expect(labels.length).to.be.within(2, 51);
    expect(text).to.include('field="odd0"').and.to.include('field="other"');
    expect(text).not.to.match(/secret-value|ann@/);
  });

  it('answers 503 {message} while the log is away, and 200 again when it is back (design 4)', async () => {
    const kafka = await startOwned('kafka');
    const own = await startWorld(kafka.address);
    try {
      await kafka.kill();
      const answer = await send({ url: own.url, body: bytesOf(payment('inv-503')) });
      expect(answer.status).to.equal(503);
      expect(answer.body).to.have.all.keys('message');
      expect(answer.headers.get('retry-after')).to.match(/^[0-9]+$/);
      await kafka.restart();
      await eventually(
        async () => {
          const again = await send({ url: own.url, body: bytesOf(payment('inv-back')) });
          expect(again.status).to.equal(200);
        },
        { deadlineMs: 40_000, everyMs: 500 },
      );
    } finally {
      await own.stop();
      await kafka.stop();
    }
  }).timeout(120_000);

  function post(body: unknown) {
    return send({ body: bytesOf(body) });
  }

  async function send(request: {
    body: Buffer;
    path?: string;
    url?: string;
    authorization?: string | undefined;
  }) {
    const { body, path = '/events', url = legacy.url } = request;
    const authorization = 'authorization' in request ? request.authorization : `Bearer ${token}`;
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: new Uint8Array(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(text) as Record<string, unknown>,
    };
  }
});

async function startWorld(brokers: string) {
  const kafkaSettings = { brokers: brokers.split(',') };
  const topics = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic) => topicName(topic, topics);
  const kafka = createKafka({ settings: kafkaSettings, clientId: 'test', logger });
  await createTopics({
    kafka,
    topics: topicSpecs(topics, ['events', 'people', 'catalog']),
    logger,
  });
  const appender = createAppender({ kafka, logger });
  await appender.start();
  await eventually(() => expect(appender.health().ok).to.equal(true));
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
    },
    { logger, onStop: (_name, stop) => void stops.push(stop) },
  );
  return {
    url: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    events: () => readAll<EventRecord>(kafka, nameOf('events'), eventCodec),
    people: () => readAll<PersonRecord>(kafka, nameOf('people'), personCodec),
    async stop() {
      for (const stop of stops.reverse()) await stop();
    },
  };
}

async function publishCatalog(appender: Appender, topic: string): Promise<void> {
  const common = { schemaVersion: 1 as const, version: 1, publishedAt: '2026-01-01T00:00:00.000Z' };
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

async function readAll<T>(kafka: KafkaConnection, topic: string, codec: Codec<T>): Promise<T[]> {
  const found = new Map<string, T>();
  await scanTopic({
    kafka,
    logger,
    topic,
    codec,
    onRecord: ({ value, partition, offset }) => {
      if (value !== null) found.set(`${partition}/${offset}`, value);
    },
  });
  return [...found.values()];
}

function tokenFor(tenantId: string, accessKeyId: string): string {
  const sign = createTokenSigner({
    keys: tokenKeys,
    environment: 'sandbox',
    clock: systemClock,
    lifetimeSeconds: 300,
  });
  return sign({ tenantId, accessKeyId }).accessToken;
}

function payment(invoiceId: string) {
  return {
    eventName: 'ReferralUpdated',
    payload: { ucc: 'CODE1', newUserId: `user-of-${invoiceId}`, price: 4900, currency: 'EUR' },
    context: {
      event: { trigger: 'invoice-paid', timestamp: '2026-03-01 10:00:00' },
      subscription: { invoiceId },
    },
  };
}

function bytesOf(body: unknown): Buffer {
  return Buffer.from(JSON.stringify(body));
}

function invoiceOf(event: EventRecord): string | undefined {
  return event.eventType === 'purchase-created' ? event.purchase.invoiceId : undefined;
}
