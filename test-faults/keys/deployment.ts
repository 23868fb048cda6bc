import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeTokenSigningKey, verifyKeyOf } from '@tributary/runtime/token-keys';
import { createDatabase } from '@tributary/testkit/database';
import { freePorts } from '@tributary/testkit/free-port';
import { getServers } from '@tributary/testkit/servers';
import { testSessionTimeoutMs } from '@tributary/testkit/session-timeout';
import { uniquePrefix } from '@tributary/testkit/topics';
import { createAdminClient } from '../../deploy/demo/admin-client.ts';
import { type ServiceReplica, startReplica } from '../../deploy/local/service-replica.ts';
import { serviceTable } from '../../deploy/local/service-table.ts';
import { pickVariables, receiversOfThisMachine } from '../../deploy/local/service-variables.ts';
import { repository } from '../../deploy/local/state-dir.ts';
import { openTopics } from '../chain/topics.ts';

/** The services that have keys. */
export const names = [
  'ingest-api',
  'legacy-events',
  'processor-events',
  'webhook-dispatcher',
  'widget',
  'portal',
] as const;
export type Name = (typeof names)[number];

export type KeyDeployment = Awaited<ReturnType<typeof startKeyDeployment>>;

/** Their processes, each of which can be followed by one with other variables. */
export async function startKeyDeployment() {
  const { kafkaBrokers, redisUrl } = await getServers();
  const prefix = uniquePrefix();
  const database = await createDatabase();
  const logs = await mkdtemp(join(tmpdir(), 'tributary-keys-'));
  const topics = await openTopics(kafkaBrokers, prefix);
  const operatorToken = randomBytes(16).toString('hex');
  const signingKey = makeTokenSigningKey('token-1');
  const nobody = 'http://127.0.0.1:1';
  const first: Record<string, string> = {
    SERVICE_ENV: 'sandbox',
    TRIBUTARY_HOST: '127.0.0.1',
    TRIBUTARY_KAFKA_BROKERS: kafkaBrokers,
    TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS: String(testSessionTimeoutMs),
    TRIBUTARY_TOPIC_PREFIX: prefix,
    TRIBUTARY_TOPIC_REPLICATION: '1',
    TRIBUTARY_TOPIC_MIN_INSYNC: '1',
    TRIBUTARY_POSTGRES_URL: database.url,
    TRIBUTARY_REDIS_URL: redisUrl,
    TRIBUTARY_REDIS_KEY_PREFIX: prefix,
    TRIBUTARY_INTERNAL_TOKEN: 'only-between-these-processes',
    TRIBUTARY_OPERATOR_TOKEN: operatorToken,
    TRIBUTARY_ATTRIBUTION_ADMIN_URL: nobody,
    TRIBUTARY_REWARDS_ADMIN_URL: nobody,
    TRIBUTARY_WEBHOOK_DISPATCHER_URL: nobody,
    TRIBUTARY_REPLAY_ADMIN_URL: nobody,
    TRIBUTARY_PROCESSOR_ADMIN_URL: nobody,
    TRIBUTARY_PUBLIC_URL: nobody,
    TRIBUTARY_STRIPE_URL: nobody,
    TRIBUTARY_WIDGET_BOOTS_PER_MINUTE: '1000000',
    TRIBUTARY_WEBHOOK_ALLOWED_NETWORKS: receiversOfThisMachine.networks,
    TRIBUTARY_WEBHOOK_ALLOWED_PORTS: receiversOfThisMachine.ports,
    TRIBUTARY_TOKEN_SIGNING_KEY: signingKey,
    TRIBUTARY_TOKEN_VERIFY_KEYS: verifyKeyOf(signingKey),
    TRIBUTARY_PRODUCT_SECRET_KEY_RING: newRingKey('product-1'),
    TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: newRingKey('webhook-1'),
    TRIBUTARY_PROCESSOR_KEY_RING: newRingKey('processor-1'),
    TRIBUTARY_SECOND_FACTOR_KEY_RING: newRingKey('second-1'),
    TRIBUTARY_ACCESS_KEY_DIGEST_KEY: randomBytes(32).toString('base64'),
    TRIBUTARY_FINGERPRINT_KEY: randomBytes(32).toString('base64'),
    TRIBUTARY_UCC_KEY: randomBytes(32).toString('base64'),
  };
  const values = new Map(
    names.map((name) => [name, { ...first, TRIBUTARY_CONSUMER_GROUP: `${prefix}${name}` }]),
  );
  const present: Partial<Record<Name, ServiceReplica>> = {};
  const all: ServiceReplica[] = [];

  async function start(name: Name): Promise<ServiceReplica> {
    const row = serviceTable.find((service) => service.name === name)!;
    const [port, adminPort] = (await freePorts(2)) as [number, number];
    const hasPort = 'TRIBUTARY_PORT' in row.schema.properties;
    const replica = startReplica({
      name,
      script: join(repository, 'services', name, 'src/main.ts'),
      cwd: join(repository, 'services', name),
      env: {
        ...pickVariables(values.get(name)!, row.schema),
        TRIBUTARY_ADMIN_PORT: String(adminPort),
        ...(hasPort && { TRIBUTARY_PORT: String(port) }),
      },
      logFile: join(logs, `${name}-${all.length}.log`),
      port,
      adminPort,
      user: name,
      say: () => undefined,
      onChange: () => undefined,
    });
    all.push(replica);
    await replica.ready(120_000);
    return replica;
  }

  async function stop(): Promise<void> {
    await Promise.all(all.map((replica) => replica.stop()));
    await topics.close();
    await database.drop();
    await rm(logs, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  try {
    await Promise.all(names.map(async (name) => (present[name] = await start(name))));
  } catch (error) {
    await stop();
    throw error;
  }
  const urlOf = (name: Name) => `http://127.0.0.1:${present[name]!.port}`;

  return {
    topics,
    first,
    urlOf,
    stop,

    /** The admin API of the portal that answers now. */
    admin: {
      call: <T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) =>
        createAdminClient({ baseUrl: urlOf('portal'), token: operatorToken }).call<T>(
          method,
          path,
          body,
        ),
    },

    /** As an orchestrator does: a process with other variables, then away with the one before. */
    async replace(name: Name, changes: Record<string, string>): Promise<void> {
      Object.assign(values.get(name)!, changes);
      const before = present[name]!;
      present[name] = await start(name);
      // What was asked of the one before is answered by it.
      await delay(500);
      await before.stop();
    },
  };
}

export function newRingKey(keyId: string): string {
  return `${keyId}:${randomBytes(32).toString('base64')}`;
}
