import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CatalogRecord } from '@tributary/contracts/catalog-record';
import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import { type ProcessorRecord, processorCodec } from '@tributary/contracts/processor-record';
import type { Topic } from '@tributary/contracts/topics';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { freePorts } from '@tributary/testkit/free-port';
import { patiently } from '@tributary/testkit/patience';
import { getServers } from '@tributary/testkit/servers';
import type { StripeEvent } from '@tributary/testkit/stripe/account-state';
import { deliverAll } from '@tributary/testkit/stripe/deliver-events';
import { type FakeStripe, startFakeStripe } from '@tributary/testkit/stripe/fake-stripe';
import { testSessionTimeoutMs } from '@tributary/testkit/session-timeout';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import pg from 'pg';
import { openTopics } from '../chain/topics.ts';
import { expectRecovered } from '../recovered.ts';
import { startWatchedProcess, type WatchedProcess } from '../watched-process.ts';
import { type Connection, recordOf } from './connections.ts';
import type { TestHook } from './test-hooks.ts';

export type Processor = WatchedProcess<TestHook>;
export type World = Awaited<ReturnType<typeof createWorld>>;

/**
 * Topics, a database, a Stripe with one account for everybody, and processor-events. `first` is on
 * the log before anything runs. `servers` are a test's own, that it may stop; else the shared ones.
 */
export async function createWorld(options: {
  connections: readonly Connection[];
  first?: readonly CatalogRecord[];
  servers?: { kafkaBrokers: string; postgresUrl: string };
  variables?: Record<string, string>;
}) {
  const stops: (() => Promise<unknown>)[] = [];
  const { kafkaBrokers, postgresUrl } = options.servers ?? (await sharedServers(stops));
  const prefix = uniquePrefix();
  const logs = await mkdtemp(join(tmpdir(), 'tributary-processor-'));
  stops.push(() => rm(logs, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  const db = createReader(postgresUrl);
  stops.push(() => db.end());
  const stripe: FakeStripe = await startFakeStripe();
  stops.push(() => stripe.stop());
  const topics = await openTopics(kafkaBrokers, prefix);
  stops.push(() => topics.close());

  const keyRing = [{ keyId: 'k1', key: randomBytes(32) }];
  const secret = { keyRing, apiKey: stripe.apiKey };
  await topics.append([
    ...(options.first ?? []),
    ...options.connections.map((connection) => recordOf(connection, secret)),
  ]);

  const [port, adminPort] = (await freePorts(2)) as [number, number];
  const url = `http://127.0.0.1:${port}`;
  const key = keyRing[0]!.key.toString('base64');
  const env = {
    SERVICE_ENV: 'sandbox',
    TRIBUTARY_HOST: '127.0.0.1',
    TRIBUTARY_PORT: String(port),
    TRIBUTARY_ADMIN_PORT: String(adminPort),
    TRIBUTARY_KAFKA_BROKERS: kafkaBrokers,
    TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS: String(testSessionTimeoutMs),
    TRIBUTARY_TOPIC_PREFIX: prefix,
    TRIBUTARY_TOPIC_REPLICATION: '1',
    TRIBUTARY_TOPIC_MIN_INSYNC: '1',
    TRIBUTARY_POSTGRES_URL: postgresUrl,
    TRIBUTARY_CONSUMER_GROUP: `${prefix}processor-events`,
    TRIBUTARY_PROCESSOR_KEY_RING: `k1:${key}`,
    TRIBUTARY_INTERNAL_TOKEN: internalToken,
    TRIBUTARY_STRIPE_URL: stripe.url,
    // The fake has no limits.
    TRIBUTARY_STRIPE_LIMIT_PERCENT: '1000',
    TRIBUTARY_PUBLIC_URL: url,
    ...options.variables,
  };
  const processes: Processor[] = [];
  stops.push(() => Promise.all(processes.map((one) => one.kill())));

  async function lag(): Promise<number> {
    const names = [topics.nameOf('processor'), topics.nameOf('catalog')];
    const ends = await readWatermarks(topics.kafka, names);
    const { rows } = await db.query<{ partition: string; next: string }>(
      `select topic || '/' || partition as partition, next_offset::text as next
       from processor.projection_position`,
    );
    const applied = new Map(rows.map((row) => [row.partition, BigInt(row.next)]));
    const ofProcessor = [...ends].filter(([partition]) => partition.startsWith(`${names[0]!}/`));
    return ofProcessor.reduce(
      (sum, [name, { high }]) => sum + Number(high - (applied.get(name) ?? 0n)),
      0,
    );
  }

  return {
    stripe,
    topics,
    db,
    kafkaBrokers,
    postgresUrl,
    logs,
    url,
    processes,

    /** One at a time: it has a port of its own, as the edge knows it. */
    async start(): Promise<Processor> {
      const name = `processor-events-${processes.length + 1}`;
      const started = startWatchedProcess<TestHook>({
        ...{ name, env, logFile: join(logs, `${name}.log`) },
        script: new URL('processor-process.ts', import.meta.url),
      });
      processes.push(started);
      return started;
    },

    urlOf: ({ connectionId }: Connection) => `${url}/processor/stripe/${connectionId}`,

    /** As Stripe does: until each is answered with 2xx, whatever happens meanwhile. */
    async deliver(
      { connectionId, shape, signingSecret }: Connection,
      events: readonly StripeEvent[],
      { atOnce = 1, deadlineMs = 60_000 }: { atOnce?: number; deadlineMs?: number } = {},
    ): Promise<void> {
      await deliverAll(`${url}/processor/stripe/${connectionId}`, events, {
        ...{ secrets: [signingSecret], shape, atOnce, deadlineMs, everyMs: 100 },
        timeoutMs: 5_000,
      });
    },

    /** A question of the portal's. */
    async ask<T>(path: string, body: object = {}): Promise<T> {
      const answer = await fetch(`http://127.0.0.1:${adminPort}/internal/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${internalToken}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(patiently(30_000)),
      });
      const text = await answer.text();
      const why = processes.at(-1)?.hasReported('error').slice(-3).join('\n');
      expect(answer.status, `${path}: ${text}\n${why}`).to.equal(200);
      return JSON.parse(text) as T;
    },

    /** Facts on the log, copies left out, which must be the same to the letter. */
    async facts(): Promise<Map<string, EventRecord>> {
      const found = new Map<string, EventRecord>();
      for (const event of await topics.read('events', eventCodec)) {
        if (event.source !== 'processor') continue;
        const known = found.get(event.eventId);
        if (known) expect(event, 'two contents of a fact').to.deep.equal(known);
        found.set(event.eventId, event);
      }
      return found;
    },

    /** How many records a topic holds, readable or not. */
    async countOf(topic: Topic): Promise<number> {
      const ends = await readWatermarks(topics.kafka, [topics.nameOf(topic)]);
      return [...ends.values()].reduce((sum, { low, high }) => sum + Number(high - low), 0);
    },

    records: (): Promise<ProcessorRecord[]> => topics.read('processor', processorCodec),

    /** Until nothing is left to fold, to send or to ask; what is due later stays so. */
    async atRest(deadlineMs = 60_000): Promise<void> {
      await eventually(
        async () => {
          expect(await lag(), 'lag').to.equal(0);
          const { rows } = await db.query<object>(leftToDo);
          expect(rows[0]).to.deep.equal({ outbox: 0, due: 0 });
          expect(await lag(), 'lag').to.equal(0);
        },
        { deadlineMs, everyMs: 100 },
      );
    },

    /** Without anything new and without a restart, see recovered.ts. */
    async recovered(): Promise<void> {
      const running = processes.filter((one) => one.isRunning());
      await expectRecovered({ kafkaBrokers, db, running });
      await this.atRest();
    },

    defer: (stop: () => Promise<unknown>) => void stops.push(stop),

    async stop(): Promise<void> {
      for (const stopOne of stops.splice(0).reverse()) await stopOne();
    },
  };
}

const internalToken = 'only-between-these-processes';

const leftToDo = `
  select (select count(*)::int from processor.outbox) as outbox,
         (select count(*)::int from processor.need
           where not answered and due_at <= now()) as due`;

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
    application_name: 'fault-test',
    max: 4,
    connectionTimeoutMillis: 2_000,
    query_timeout: patiently(5_000),
  });
  pool.on('error', () => undefined);
  return pool;
}
