import { randomBytes } from 'node:crypto';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type CatalogRecord, catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import { type CodeRecord, codeCodec } from '@tributary/contracts/code-record';
import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import { type PersonRecord, personCodec } from '@tributary/contracts/people-record';
import type { Codec } from '@tributary/contracts/record';
import { secretContext } from '@tributary/contracts/secret-context';
import { type Topic, topicName } from '@tributary/contracts/topics';
import type { WidgetSession } from '@tributary/contracts/public/widget-session';
import { defaultWidgetSettings, type WidgetSettings } from '@tributary/contracts/widget-settings';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { createKafka } from '@tributary/event-log/kafka';
import { readRecords } from '@tributary/event-log/testing/read-records';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createLogger, type Logger } from '@tributary/runtime/logger';
import { sealSecret } from '@tributary/runtime/secrets';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { testSessionTimeoutMs } from '@tributary/testkit/session-timeout';
import { uniquePrefix } from '@tributary/testkit/topics';
import jwt from 'jsonwebtoken';
import { startWidget, type WidgetServiceSettings } from '../app.ts';
import { runningCampaign } from '@tributary/contracts/testing/running-campaign';
import { onLog, type OnLog } from './log-records.ts';

/** The service on real servers, two tenants in its catalog, and eyes on its topics. */
export type WidgetFixture = Awaited<ReturnType<typeof createWidgetFixture>>;
export type WidgetProcess = Awaited<ReturnType<typeof startProcess>>;

/** Both tenants have one, `product-a` and `product-b`. */
export const secretOf = (tenantId: string): string => `secret of ${tenantId} `.padEnd(86, 'x');

/** Scripts as the build lays them out, with nothing in them. */
export const scripts = {
  'app/latest/tributary-widget.js': `export const widget = '${'w'.repeat(3_000)}';\n`,
  'app/latest/panel.js': 'export const panel = 1;\n',
  'app/latest/chunks/panel-0a1b2c3d.js': 'export const panel = 1;\n',
  'attribution/latest/tributary-attribution.js': 'export const attribution = 1;\n',
};

export async function createWidgetFixture(
  servers: { kafkaBrokers: string; postgresUrl: string },
  changes: Partial<WidgetServiceSettings> = {},
) {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const topics = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic) => topicName(topic, topics);
  const assetsDir = await writeScripts();
  const settings: WidgetServiceSettings = {
    environment: 'sandbox',
    host: '127.0.0.1',
    port: 0,
    adminPort: 0,
    kafka: { brokers: servers.kafkaBrokers.split(','), sessionTimeoutMs: testSessionTimeoutMs },
    postgres: { url: servers.postgresUrl, schema: 'widget', poolSize: 4 },
    topics,
    group: `${topics.prefix}widget`,
    generationsSchema: 'generations',
    secrets: [{ keyId: 'k1', key: randomBytes(32) }],
    uccKey: randomBytes(32),
    appendDeadlineMs: Math.max(2_000, patiently(700)),
    requestsPerSecond: 10_000,
    bootsPerMinute: 6_000,
    assetsDir,
    ...changes,
  };
  const kafka = createKafka({ settings: settings.kafka, clientId: 'test', logger });
  await eventually(() => createTopics({ kafka, topics: topicSpecs(topics), logger }));
  const appender = await startPatientAppender(kafka);
  const publish = async (...records: readonly OnLog[]) => {
    for (const { topic, key, value } of records) {
      await appender.append([{ topic: nameOf(topic), key, value }]);
    }
  };
  await publish(...['a', 'b'].flatMap((tenantId) => catalogOf(tenantId, settings)));

  return {
    settings,
    publish,
    publishCatalog: (record: CatalogRecord) => publish(onLog.catalog(record)),
    publishCode: (record: CodeRecord) => publish(onLog.code(record)),
    /** Another process of the same deployment, as far as the servers can tell. */
    start: (as: Partial<WidgetServiceSettings> = {}) =>
      startProcess({ ...settings, ...as }, logger),
    codes: () => recordsOf<CodeRecord>('codes', codeCodec),
    people: () => recordsOf<PersonRecord>('people', personCodec),
    events: () => recordsOf<EventRecord>('events', eventCodec),
    async stop() {
      await appender.stop();
      await rm(assetsDir, { recursive: true });
    },
  };

  function recordsOf<T>(topic: Topic, codec: Codec<T>): Promise<T[]> {
    return readRecords(kafka, nameOf(topic), codec);
  }
}

export function catalogCommon(tenantId: string, version = 1) {
  const publishedAt = new Date().toISOString();
  return { schemaVersion: catalogSchemaVersion, tenantId, version, publishedAt };
}

export function settingsRecord(
  tenantId: string,
  version: number,
  changes: Partial<WidgetSettings>,
): CatalogRecord {
  const settings = { ...defaultWidgetSettings, ...changes };
  return { ...catalogCommon(tenantId, version), entity: 'widget-settings', settings };
}

/** A tenant with a running default campaign, a secret and a page of its own. */
function catalogOf(tenantId: string, { secrets }: WidgetServiceSettings): OnLog[] {
  const common = catalogCommon(tenantId);
  const productId = `product-${tenantId}`;
  const context = secretContext(tenantId, 'product-secret');
  const records: CatalogRecord[] = [
    {
      ...common,
      entity: 'tenant',
      name: tenantId,
      status: 'active',
      productId,
      defaultCampaignId: 'c1',
    },
    {
      ...common,
      entity: 'product-secret',
      productId,
      sealedSecret: sealSecret(secrets, secretOf(tenantId), context),
    },
    runningCampaign(tenantId, 'c1', { newUserDiscountBasisPoints: 1_000, newUserDiscountMonth: 3 }),
    {
      ...common,
      entity: 'domain',
      domain: `${tenantId}.example`,
      status: 'registered',
      proof: 'dns',
    },
    { ...common, entity: 'domain', domain: 'shared.example', status: 'registered', proof: 'kept' },
  ];
  return records.map(onLog.catalog);
}

async function writeScripts(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-scripts-'));
  for (const [name, text] of Object.entries(scripts)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return dir;
}

export type Answer<T = Record<string, unknown>> = { status: number; headers: Headers; body: T };

async function startProcess(settings: WidgetServiceSettings, logger: Logger) {
  const stops: (() => Promise<void> | void)[] = [];
  const onStop = (_name: string, stop: () => Promise<void> | void) => void stops.push(stop);
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  const { port, adminPort } = await startWidget(settings, { logger, onStop }).catch(
    async (error: unknown) => {
      await stop();
      throw error;
    },
  );
  const url = `http://127.0.0.1:${port}`;
  const adminUrl = `http://127.0.0.1:${adminPort}`;

  async function ask<T>(path: string, init: RequestInit = {}): Promise<Answer<T>> {
    const answer = await fetch(`${url}${path}`, init);
    const text = await answer.text();
    const body = (text === '' ? {} : JSON.parse(text)) as T;
    return { status: answer.status, headers: answer.headers, body };
  }
  await eventually(
    async () => {
      const answer = await fetch(`${adminUrl}/readyz?all`);
      if (answer.status !== 200) throw new Error(`not ready: ${await answer.text()}`);
    },
    { deadlineMs: 60_000 },
  );

  return {
    url,
    adminUrl,
    ask,
    session: (body: unknown, headers: Record<string, string> = {}) =>
      ask<WidgetSession>('/widget/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    stop,
  };
}

/** What a page sends for a user whose server did as the interface says. */
export function boot(productUserId: string, more: Record<string, unknown> = {}, tenantId = 'a') {
  const claims = {
    productId: `product-${tenantId}`,
    productUserId,
    iat: Math.floor(Date.now() / 1_000),
  };
  const token = jwt.sign(claims, secretOf(tenantId), { algorithm: 'HS512' });
  return { token, productUserDetails: {}, ...more };
}
