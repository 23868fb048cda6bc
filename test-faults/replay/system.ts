import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTokenSigningKey, verifyKeyOf } from '@tributary/runtime/token-keys';
import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { freePorts } from '@tributary/testkit/free-port';
import { getServers } from '@tributary/testkit/servers';
import { testSessionTimeoutMs } from '@tributary/testkit/session-timeout';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import pg from 'pg';
import { ownDirectoryIn } from '../../deploy/local/process-files.ts';
import { type ServiceGroup, startGroup } from '../../deploy/local/service-group.ts';
import { serviceTable } from '../../deploy/local/service-table.ts';
import { pickVariables, receiversOfThisMachine } from '../../deploy/local/service-variables.ts';
import { chainBacklog } from '../chain/backlog.ts';
import { type Fact, openTopics } from '../chain/topics.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { endpointOf, type KeyRing } from './endpoint.ts';
import { createOperator } from './operator.ts';

/** What runs of a system whose facts are appended by a test: all that is behind the log. */
const names = ['attribution', 'rewards', 'webhook-dispatcher', 'replay', 'portal'] as const;
type Name = (typeof names)[number];
type Services = Record<Name, ServiceGroup> & { widget?: ServiceGroup };

export type System = Awaited<ReturnType<typeof startSystem>>;

/**
 * The system from the log to a customer's receiver, as processes on topics and a database of its
 * own, on a Kafka that the test may kill when it brings one. `first` is on the log before anything
 * runs: the portal finds its tenants and campaigns there. With the widget where a test asks for it;
 * the others need no browser scripts.
 */
export async function startSystem(
  first: readonly Fact[],
  tenantIds: readonly string[],
  { kafkaBrokers, widget = false }: { kafkaBrokers?: string; widget?: boolean } = {},
) {
  kafkaBrokers ??= (await getServers()).kafkaBrokers;
  const prefix = uniquePrefix();
  const database = await createDatabase();
  const dir = await mkdtemp(join(tmpdir(), 'tributary-system-'));
  const receiver = await startReceiver();
  const topics = await openTopics(kafkaBrokers, prefix);
  const keyRing: KeyRing = [{ keyId: 'k1', key: randomBytes(32) }];
  await topics.append([
    ...first,
    ...tenantIds.map((tenantId) => endpointOf(keyRing, tenantId, receiver.urlOf(tenantId))),
  ]);

  const started = widget ? ([...names, 'widget'] as const) : names;
  const ports = await freePorts(started.length + 2);
  const adminPort = (name: (typeof started)[number]) => ports[started.indexOf(name as Name)]!;
  const adminUrl = (name: Name) => `http://127.0.0.1:${adminPort(name)}`;
  const [portalPort, widgetPort] = [ports.at(-1)!, ports.at(-2)!];
  const publicPorts: Record<string, number> = { portal: portalPort, widget: widgetPort };
  const token = randomBytes(16).toString('hex');
  const key = keyRing[0]!.key.toString('base64');
  const values: Record<string, string> = {
    SERVICE_ENV: 'sandbox',
    TRIBUTARY_HOST: '127.0.0.1',
    TRIBUTARY_KAFKA_BROKERS: kafkaBrokers,
    TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS: String(testSessionTimeoutMs),
    TRIBUTARY_TOPIC_PREFIX: prefix,
    TRIBUTARY_TOPIC_REPLICATION: '1',
    TRIBUTARY_TOPIC_MIN_INSYNC: '1',
    TRIBUTARY_POSTGRES_URL: database.url,
    TRIBUTARY_INTERNAL_TOKEN: 'only-between-these-processes',
    TRIBUTARY_OPERATOR_TOKEN: token,
    TRIBUTARY_ATTRIBUTION_ADMIN_URL: adminUrl('attribution'),
    TRIBUTARY_REWARDS_ADMIN_URL: adminUrl('rewards'),
    TRIBUTARY_WEBHOOK_DISPATCHER_URL: adminUrl('webhook-dispatcher'),
    TRIBUTARY_REPLAY_ADMIN_URL: adminUrl('replay'),
    // Nobody is there: no processor is connected.
    TRIBUTARY_PROCESSOR_ADMIN_URL: 'http://127.0.0.1:1',
    TRIBUTARY_PUBLIC_URL: 'http://127.0.0.1:1',
    TRIBUTARY_REPLAY_DIR: await ownDirectoryIn(dir, 'replay'),
    TRIBUTARY_WEBHOOK_ALLOWED_NETWORKS: receiversOfThisMachine.networks,
    TRIBUTARY_WEBHOOK_ALLOWED_PORTS: receiversOfThisMachine.ports,
    TRIBUTARY_TOKEN_VERIFY_KEYS: verifyKeyOf(makeTokenSigningKey('token-1')),
    TRIBUTARY_PRODUCT_SECRET_KEY_RING: `product-1:${key}`,
    TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: `k1:${key}`,
    TRIBUTARY_PROCESSOR_KEY_RING: `processor-1:${key}`,
    TRIBUTARY_SECOND_FACTOR_KEY_RING: `second-1:${key}`,
    TRIBUTARY_ACCESS_KEY_DIGEST_KEY: key,
    TRIBUTARY_UCC_KEY: key,
  };
  const start = (name: (typeof started)[number]): ServiceGroup => {
    const row = serviceTable.find((service) => service.name === name)!;
    const own = { ...values, TRIBUTARY_CONSUMER_GROUP: `${prefix}${name}` };
    return startGroup({
      row,
      ports: [{ port: publicPorts[name], adminPort: adminPort(name) }],
      env: pickVariables(own, row.schema),
      logs: dir,
      say: () => undefined,
      onChange: () => undefined,
    });
  };
  const services = Object.fromEntries(started.map((name) => [name, start(name)])) as Services;
  const groups = Object.values(services);
  let db = await connect(database.url);

  async function stop(): Promise<void> {
    await Promise.all(groups.map((group) => group.stop()));
    await topics.close();
    await db.end();
    await database.drop();
    await receiver.stop();
    await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  await Promise.all(groups.map((group) => group.ready())).catch(async (error: unknown) => {
    await stop();
    throw error;
  });

  return {
    topics,
    receiver,
    services,
    logs: dir,
    database: database.url,
    ...createOperator({ url: `http://127.0.0.1:${portalPort}`, token }),
    query: async <R extends object>(sql: string, values: unknown[] = []): Promise<R[]> =>
      (await db.query<R>(sql, values)).rows,
    db: () => db,

    /**
     * Until nobody has anything left to do, every issuance is delivered, and everybody is ready.
     */
    async atRest(deadlineMs = 120_000): Promise<void> {
      await eventually(
        async () => {
          const { rows } = await db.query<{ live: number }>(
            'select generation as live from generations.live_generation',
          );
          const { lag, outbox, work } = await chainBacklog(db, topics, rows[0]!.live);
          expect({ lag, outbox, work }).to.deep.equal({ lag: 0, outbox: 0, work: 0 });
          expect((await db.query(undelivered)).rows[0]).to.deep.equal({ count: 0 });
          const ready = await Promise.all(groups.map((group) => group.replicas[0]!.isReady()));
          expect(groups.filter((_, i) => !ready[i]).map(({ name }) => name)).to.deep.equal([]);
        },
        { deadlineMs, everyMs: 200 },
      );
    },

    /**
     * Stops every service, has `work` done to the database, and starts them on what there is then.
     */
    async whileStopped(work: () => Promise<void>): Promise<void> {
      await Promise.all(groups.map((group) => group.stop()));
      await db.end();
      await work();
      db = await connect(database.url);
      await Promise.all(groups.map((group) => group.replicas[0]!.restart()));
    },

    stop,
  };
}

/** Those that the dispatcher has not heard of yet, and those that it has not delivered. */
const undelivered = `
  select (select count(*)::int from issuance.issuance)
    - (select count(*)::int from dispatch.delivery where state = 'delivered') as count`;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
