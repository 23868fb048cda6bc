import {
  type CatalogRecord,
  catalogCodec,
  catalogSchemaVersion,
  type ProcessorConnectionRecord,
} from '@tributary/contracts/catalog-record';
import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import { processorCodec, type ProcessorRecord } from '@tributary/contracts/processor-record';
import type { Codec } from '@tributary/contracts/record';
import { secretContext } from '@tributary/contracts/secret-context';
import { checkServiceAnswer } from '@tributary/contracts/testing/admin-answers';
import { recordKey, type Topic, topicName } from '@tributary/contracts/topics';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { createKafka } from '@tributary/event-log/kafka';
import { readRecords, withoutCopies } from '@tributary/event-log/testing/read-records';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createLogger, type LogFields, type Logger } from '@tributary/runtime/logger';
import { sealSecret } from '@tributary/runtime/secrets';
import { createDatabase } from '@tributary/testkit/database';
import { freePort } from '@tributary/testkit/free-port';
import { patiently } from '@tributary/testkit/patience';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inspect } from 'node:util';
import { startProcessorEvents } from '../app.ts';
import type { ProcessorEventsSettings } from '../config.ts';
import { stripeRatesOf } from '../domain/stripe-rates.ts';
import { defaultFetchSettings } from '../workers/fetch-worker.ts';
import { defaultMaintenanceSettings } from '../workers/maintenance.ts';
import { eventually } from '@tributary/testkit/eventually';

/** Topics, a database and keys of their own, in which the service is built as in production. */
export type ProcessorWorld = {
  start(changes?: Partial<ProcessorEventsSettings>): Promise<RunningProcessor>;
  connect(connection: Connection): Promise<void>;
  /** What is on the log. */
  records(): Promise<ProcessorRecord[]>;
  facts(): Promise<EventRecord[]>;
  /** Questions that a worker has claimed. */
  claimed(): Promise<number>;
  /** Everything that was logged, at any level, as text. */
  logged(): string;
  end(): Promise<void>;
};

export type RunningProcessor = {
  publicUrl: string;
  adminUrl: string;
  /** What the portal asks; `path` follows `/internal/`. */
  ask(path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }>;
  stop(): Promise<void>;
};

export type Connection = {
  tenantId: string;
  connectionId: string;
  apiKey: string;
  apiVersion: string;
  endpoint: { id: string; secret: string };
  previous?: { id: string; secret: string; until: string };
  version?: number;
  status?: 'active' | 'disconnected';
};

export const internalToken = 'an-internal-token-of-tests';

export async function createProcessorWorld(options: {
  stripeUrl: string;
}): Promise<ProcessorWorld> {
  const { kafkaBrokers } = await getServers();
  const database = await createDatabase();
  const kafkaSettings = { brokers: kafkaBrokers.split(',') };
  const topics = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic) => topicName(topic, topics);
  const silent = createLogger({ service: 'test', level: 'silent' });
  const kafka = createKafka({ settings: kafkaSettings, clientId: 'test', logger: silent });
  const used = topicSpecs(topics, ['processor', 'events', 'catalog', 'deadLetters']);
  await eventually(() => createTopics({ kafka, topics: used, logger: silent }));
  const appender = await startPatientAppender(kafka);
  const secrets = [{ keyId: 'k1', key: randomBytes(32) }];
  const lines: string[] = [];
  const logger = loggerInto(lines);
  let running: (() => Promise<void>)[] = [];

  const read = async <T>(topic: Topic, codec: Codec<T>): Promise<T[]> =>
    withoutCopies(await readRecords(kafka, nameOf(topic), codec));

  return {
    async start(changes = {}) {
      const port = await freePort();
      const publicUrl = `http://127.0.0.1:${port}`;
      const settings: ProcessorEventsSettings = {
        ...{ environment: 'sandbox', host: '127.0.0.1', port, adminPort: 0, publicUrl, secrets },
        internalTokens: [internalToken],
        kafka: kafkaSettings,
        postgres: { url: database.url, schema: 'processor', poolSize: 10 },
        topics,
        group: `processor-${topics.prefix}`,
        stripeUrl: options.stripeUrl,
        metadataTtlMs: 600_000,
        stripeTimeoutMs: patiently(5_000),
        stripeRates: stripeRatesOf({ livemode: false, percent: 1_000 }),
        fetches: { ...defaultFetchSettings, pollMs: 100 },
        maintenance: { ...defaultMaintenanceSettings, connectionsEveryMs: 100 },
        ...changes,
      };
      const stops: (() => Promise<void> | void)[] = [];
      const { adminPort } = await startProcessorEvents(settings, {
        logger,
        onStop: (_name, stop) => void stops.push(stop),
      });
      const stop = async () => {
        running = running.filter((other) => other !== stop);
        for (const one of stops.splice(0).reverse()) await one();
      };
      running.push(stop);
      const adminUrl = `http://127.0.0.1:${adminPort}`;
      return { publicUrl: settings.publicUrl, adminUrl, stop, ask: askerOf(adminUrl) };
    },

    async connect(connection) {
      const value = catalogCodec.encode(toRecord(connection, secrets));
      const key = recordKey(connection.tenantId);
      await appender.append([{ topic: nameOf('catalog'), key, value }]);
    },

    records: () => read('processor', processorCodec),
    facts: () => read('events', eventCodec),
    async claimed() {
      const text = 'select count(*)::int as claimed from processor.need where claim_id is not null';
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      try {
        return (await client.query<{ claimed: number }>(text)).rows[0]!.claimed;
      } finally {
        await client.end();
      }
    },
    logged: () => lines.join('\n'),

    async end() {
      await Promise.all(running.map((stop) => stop()));
      await appender.stop();
      await database.drop();
    },
  };
}

function askerOf(adminUrl: string): RunningProcessor['ask'] {
  return async (path, body = {}) => {
    const response = await fetch(`${adminUrl}/internal/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${internalToken}` },
      body: JSON.stringify(body),
    });
    const answered = (await response.json()) as Record<string, unknown>;
    const answer = { status: response.status, body: answered };
    checkServiceAnswer('processor-events', { method: 'POST', path: `/${path}` }, answer);
    return answer;
  };
}

function toRecord(
  connection: Connection,
  secrets: Parameters<typeof sealSecret>[0],
): CatalogRecord & ProcessorConnectionRecord {
  const { tenantId, connectionId, apiKey, apiVersion, endpoint, previous } = connection;
  const { version = 1, status = 'active' } = connection;
  const sealed = ({ id, secret }: { id: string; secret: string }) => ({
    id,
    sealedSecret: sealSecret(secrets, secret, secretContext(tenantId, 'processor-signing-secret')),
  });
  const sealedApiKey = sealSecret(secrets, apiKey, secretContext(tenantId, 'processor-api-key'));
  const now = new Date().toISOString();
  return {
    ...{ schemaVersion: catalogSchemaVersion, tenantId, version, publishedAt: now },
    ...{ entity: 'processor-connection', connectionId, processor: 'stripe', apiVersion },
    ...{ livemode: false, taxPolicy: 'gross', connectedAt: now, status },
    sealedApiKey: status === 'active' ? sealedApiKey : null,
    endpoint: status === 'active' ? sealed(endpoint) : null,
    ...(previous && { previous: { ...sealed(previous), until: previous.until } }),
  };
}

/** Keeps what the service logs before any redaction, which is a safety net only. */
function loggerInto(lines: string[]): Logger {
  const write = (message: string, fields?: LogFields) =>
    void lines.push(`${message} ${inspect(fields, { depth: 10 })}`);
  const logger: Logger = {
    ...{ debug: write, info: write, warn: write, error: write },
    child: () => logger,
  };
  return logger;
}
