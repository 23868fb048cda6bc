import type { KeyRings } from '@tributary/runtime/key-rings';
import {
  makeTokenSigningKey,
  parseTokenSigningKey,
  parseTokenVerifyKeys,
  type TokenKey,
  verifyKeyOf,
} from '@tributary/runtime/token-keys';
import { Type } from '@sinclair/typebox';
import {
  catalogCodec,
  catalogEntityKey,
  type CatalogRecord,
} from '@tributary/contracts/catalog-record';
import { type CodeRecord, codeCodec } from '@tributary/contracts/code-record';
import { personCodec } from '@tributary/contracts/people-record';
import { checkAdminAnswer, routeOfRequest } from '@tributary/contracts/testing/admin-answers';
import type { Codec } from '@tributary/contracts/record';
import { type Topic, topicName, type TopicWiring } from '@tributary/contracts/topics';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import type { Violation } from '@tributary/contracts/violation';
import { createGlobalTable } from '@tributary/event-log/global-table';
import { createKafka, type KafkaConnection } from '@tributary/event-log/kafka';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { silentLogger } from '@tributary/event-log/testing';
import { createVersionedRecords } from '@tributary/event-log/testing/read-records';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createDatabase } from '@tributary/testkit/database';
import { patiently } from '@tributary/testkit/patience';
import { getServers } from '@tributary/testkit/servers';
import { testSessionTimeoutMs } from '@tributary/testkit/session-timeout';
import { uniquePrefix } from '@tributary/testkit/topics';
import { randomBytes } from 'node:crypto';
import type { Logger } from '@tributary/runtime/logger';
import pg from 'pg';
import { type PortalSettings, startPortal } from '../app.ts';
import type { Environment } from '../catalog/domain/addresses.ts';
import { unpackDump } from './unpack-dump.ts';
import { eventually } from '@tributary/testkit/eventually';

/**
 * A portal of its own for one spec file: built as in production, on its own database and topics.
 */
export type TestPortal = {
  baseUrl: string;
  adminUrl: string;
  postgresUrl: string;
  kafka: KafkaConnection;
  topics: TopicWiring;
  keyRings: KeyRings;
  accessKeyDigestKey: Buffer;
  uccKey: Buffer;
  clock: { now(): Date; set(at: string): void; run(): void };
  tokenSigningKey: TokenKey;
  tokenVerifyKeys: readonly TokenKey[];
  /** As other services do, one record after the other; the folds' into topics of a generation. */
  publish(
    records: readonly { topic: Topic; key: string; value: string | null }[],
    generation?: number,
  ): Promise<void>;
  /** With the operator's token. */
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /**
   * Everything that was read back from the topics so far, as readers take it: equal copies left
   * out, what is about one entity in the order of its versions, revisions in that of their numbers.
   */
  catalog: CatalogRecord[];
  codes: CodeRecord[];
  /** Every row of every table of the service, the outbox included, as text; nothing is packed. */
  dumpTables(): Promise<string>;
  /** Keys of the tombstones on the people topic so far, in the order of each partition. */
  tombstones(): Promise<string[]>;
  /** Every record of a topic as it is, in the order of each partition. */
  textsOf(topic: Topic): Promise<{ key: string; value: string }[]>;
  stop(): Promise<void>;
};

export type Answer = { status: number; body: AnswerBody; headers: Headers };
export type AnswerBody = Record<string, unknown> & { code?: string; errors?: Violation[] };

/** Nothing is sent there. */
export const testPublicUrl = 'https://referrals.example.com';
export const operatorToken = 'test-operator-token-1';
export const secondOperatorToken = 'test-operator-token-2';
const schema = 'portal';

export async function startTestPortal(
  options: {
    environment?: Environment;
    /** On the topics and with the keys of that one, and a database of its own. */
    like?: TestPortal;
    kafkaBrokers?: string;
    postgresUrl?: string;
    /** A database of its own for the read model. */
    readModelUrl?: string;
    deliveryDays?: number;
    attributionUrl?: string;
    rewardsUrl?: string;
    webhookDispatcherUrl?: string;
    replayUrl?: string;
    processorUrl?: string;
    commitChecksEveryMs?: number;
    /** How people sign in, and what becomes of what they do. */
    insecureCookies?: boolean;
    docsTenant?: string;
    passkeys?: PortalSettings['passkeys'];
    provider?: PortalSettings['provider'];
    mail?: PortalSettings['mail'];
    secondPerson?: boolean;
    auditTopic?: boolean;
    port?: number;
    publicUrl?: string;
    logger?: Logger;
    /** Where proofs of domains are looked for. */
    domains?: Partial<PortalSettings['domains']>;
  } = {},
): Promise<TestPortal> {
  const { environment = 'sandbox' } = options;
  const logger = options.logger ?? silentLogger;
  const kafkaBrokers = options.kafkaBrokers ?? (await getServers()).kafkaBrokers;
  const database = await findDatabase(options.postgresUrl);
  const kafkaSettings = {
    brokers: kafkaBrokers.split(','),
    sessionTimeoutMs: testSessionTimeoutMs,
  };
  const fresh = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  const topics = { ...fresh, ...options.like?.topics };
  const kafka = createKafka({ settings: kafkaSettings, clientId: 'test-portal', logger });
  await eventually(() => createTopics({ kafka, topics: topicSpecs(topics), logger }));

  const stops: (() => Promise<void> | void)[] = [() => database.drop()];
  const keys = options.like ?? {
    keyRings: freshKeyRings(),
    accessKeyDigestKey: randomBytes(32),
    uccKey: randomBytes(32),
    ...freshTokenKeys(),
  };
  const clock = settableClock();
  const started = await startPortal(
    {
      keyRings: keys.keyRings,
      accessKeyDigestKey: keys.accessKeyDigestKey,
      uccKey: keys.uccKey,
      tokenVerifyKeys: keys.tokenVerifyKeys,
      environment,
      host: '127.0.0.1',
      port: options.port ?? 0,
      adminPort: 0,
      kafka: kafkaSettings,
      postgres: { url: database.url, schema, poolSize: 10 },
      topics,
      operatorTokens: [operatorToken, secondOperatorToken],
      insecureCookies: options.insecureCookies ?? false,
      docsTenant: options.docsTenant ?? null,
      passkeys: options.passkeys ?? null,
      provider: options.provider ?? null,
      mail: options.mail ?? null,
      secondPerson: options.secondPerson ?? false,
      auditTopic: options.auditTopic ?? false,
      noticesEveryMs: 100,
      readModel: {
        url: options.readModelUrl ?? database.url,
        schema: 'portal_read',
        poolSize: 10,
      },
      generationsSchema: 'generations',
      // Long, as what specs deliver is of any time.
      deliveryDays: options.deliveryDays ?? 3_650,
      pruneEveryMs: 200,
      // Belongs to another database, so it is not shared with the one that it is like.
      group: `portal-${fresh.prefix}`,
      catalogGroup: `portal-${fresh.prefix}-catalog`,
      internalToken: 'test-internal-token',
      // Nobody listens there unless a test says so.
      attributionUrl: options.attributionUrl ?? 'http://127.0.0.1:1',
      rewardsUrl: options.rewardsUrl ?? 'http://127.0.0.1:1',
      webhookDispatcherUrl: options.webhookDispatcherUrl ?? 'http://127.0.0.1:1',
      replayUrl: options.replayUrl ?? 'http://127.0.0.1:1',
      processorUrl: options.processorUrl ?? 'http://127.0.0.1:1',
      publicUrl: options.publicUrl ?? testPublicUrl,
      signInsPerSecond: 10_000,
      domains: {
        ...{ allowedNetworks: [], dnsServers: ['127.0.0.1:9'] },
        ...{ recheckEveryMs: 3_600_000, graceMs: 7_200_000 },
        ...options.domains,
      },
      domainChecksEveryMs: 100,
      commitChecksEveryMs: options.commitChecksEveryMs ?? 200,
      peopleMaintenanceEveryMs: 100,
      removalsEveryMs: 100,
      exportSettlesMs: 300,
      publishesWithinMs: patiently(2_000),
    },
    { logger, clock, onStop: (_name, stop) => void stops.push(stop) },
  );

  const { records: catalog, add: addToCatalog } = createVersionedRecords<CatalogRecord>({
    entityOf: (record) =>
      record.entity === 'campaign-revision'
        ? `${record.tenantId}:campaign:${record.campaignId}`
        : `${record.tenantId}:${catalogEntityKey(record)}`,
    versionOf: (record) =>
      record.entity === 'campaign-revision' ? record.revision : record.version,
  });
  const { records: codes, add: addToCodes } = createVersionedRecords<CodeRecord>({
    entityOf: ({ tenantId, ucc }) => `${tenantId}:${ucc}`,
    versionOf: ({ version }) => version,
  });
  const tables = [
    createGlobalTable({
      kafka,
      logger,
      topic: topicName('catalog', topics),
      codec: catalogCodec,
      apply: addToCatalog,
    }),
    createGlobalTable({
      kafka,
      logger,
      topic: topicName('codes', topics),
      codec: codeCodec,
      apply: addToCodes,
    }),
  ];
  await Promise.all(tables.map((table) => table.start()));
  stops.push(...tables.map((table) => () => table.stop()));

  const baseUrl = `http://127.0.0.1:${started.port}`;
  return {
    keyRings: keys.keyRings,
    accessKeyDigestKey: keys.accessKeyDigestKey,
    uccKey: keys.uccKey,
    tokenSigningKey: keys.tokenSigningKey,
    tokenVerifyKeys: keys.tokenVerifyKeys,
    baseUrl,
    adminUrl: `http://127.0.0.1:${started.adminPort}`,
    postgresUrl: database.url,
    kafka,
    topics,
    clock,
    catalog,
    codes,
    async publish(records, generation = 1) {
      const appender = await startPatientAppender(kafka);
      for (const { topic, ...record } of records) {
        await appender.append([{ topic: topicName(topic, { ...topics, generation }), ...record }]);
      }
      await appender.stop();
    },
    async call(method, path, body) {
      const answer = await call(baseUrl, method, path, body);
      // What others say is stood in for here; they are held to it by specs of their own.
      if (!isOfOthers(method, path)) checkAdminAnswer(method, path, answer);
      return answer;
    },
    dumpTables: () => dumpTables(database.url),
    tombstones: () => readTombstones(kafka, topicName('people', topics)),
    textsOf: (topic) => readTexts(kafka, topicName(topic, topics)),
    async stop() {
      for (const stop of stops.reverse()) await stop();
    },
  };
}

/** Where what another service says is handed on. */
function isOfOthers(method: string, path: string): boolean {
  const isList = path.startsWith('/api/replay/') || /\/processor-items(\?|$)/.test(path);
  return isList || routeOfRequest(method, path)?.asks !== undefined;
}

/** A server of the test's own goes as a whole. */
async function findDatabase(url: string | undefined) {
  return url === undefined ? createDatabase() : { url, drop: () => undefined };
}

async function call(
  baseUrl: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const headers = new Headers({ authorization: `Bearer ${operatorToken}` });
  if (body !== undefined) headers.set('content-type', 'application/json');
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as AnswerBody;
  return { status: response.status, body: answer, headers: response.headers };
}

/** The real time until it is set. */
function settableClock() {
  let fixed: Date | undefined;
  return {
    now: () => fixed ?? new Date(),
    set: (at: string) => void (fixed = new Date(at)),
    run: () => void (fixed = undefined),
  };
}

async function readTombstones(kafka: KafkaConnection, topic: string): Promise<string[]> {
  const found = new Map<string, string>();
  await scanTopic({
    kafka,
    logger: silentLogger,
    topic,
    codec: personCodec,
    onRecord: ({ partition, offset, key, value }) => {
      if (value === null) found.set(`${partition}/${offset}`, key);
    },
  });
  return [...found.values()];
}

async function readTexts(kafka: KafkaConnection, topic: string) {
  const found = new Map<string, { key: string; value: string }>();
  await scanTopic({
    kafka,
    logger: silentLogger,
    topic,
    codec: textCodec,
    onRecord: ({ partition, offset, key, value }) => {
      if (value !== null) found.set(`${partition}/${offset}`, { key, value });
    },
  });
  return [...found.values()];
}

/** Takes whatever is there. */
const textCodec: Codec<string> = {
  name: 'text',
  schemaVersion: 1,
  schema: Type.String(),
  decode: (bytes) =>
    bytes === null ? { outcome: 'tombstone' } : { outcome: 'record', value: bytes.toString() },
  encode: (text) => text,
};

async function dumpTables(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      'select quote_ident(table_name) as name from information_schema.tables where table_schema = $1',
      [schema],
    );
    let dump = '';
    for (const { name } of rows) {
      const found = await client.query<{ row: string }>(
        `select to_jsonb(t)::text as row from ${schema}.${name} t`,
      );
      dump += found.rows.map(({ row }) => `${name} ${row}\n`).join('');
    }
    return unpackDump(dump);
  } finally {
    await client.end();
  }
}

/** Each ring with a key of its own: what is sealed under the wrong one does not open. */
function freshKeyRings(): KeyRings {
  return {
    'product-secrets': [{ keyId: 'product-1', key: randomBytes(32) }],
    'webhook-passwords': [{ keyId: 'webhook-1', key: randomBytes(32) }],
    'processor-keys': [{ keyId: 'processor-1', key: randomBytes(32) }],
    'second-factors': [{ keyId: 'second-1', key: randomBytes(32) }],
  };
}

function freshTokenKeys() {
  const signingKey = makeTokenSigningKey('k1');
  return {
    tokenSigningKey: parseTokenSigningKey(signingKey),
    tokenVerifyKeys: parseTokenVerifyKeys(verifyKeyOf(signingKey)),
  };
}
