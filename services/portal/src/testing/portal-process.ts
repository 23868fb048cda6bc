import { createKafka } from '@tributary/event-log/kafka';
import { silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { makeTokenSigningKey, verifyKeyOf } from '@tributary/runtime/token-keys';
import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { freePorts } from '@tributary/testkit/free-port';
import { getServers } from '@tributary/testkit/servers';
import { testSessionTimeoutMs } from '@tributary/testkit/session-timeout';
import { uniquePrefix } from '@tributary/testkit/topics';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Portals that can be killed: processes of one deployment, on its own topics and database. */
export async function createPortalDeployment(options: {
  replayUrl?: string;
  processorUrl?: string;
  token: string;
  /** A database on a server of the test's own, which is removed as a whole. */
  postgresUrl?: string;
}) {
  const { kafkaBrokers } = await getServers();
  const { postgresUrl } = options;
  const database = postgresUrl === undefined ? await createDatabase() : { url: postgresUrl };
  const prefix = uniquePrefix();
  const wiring = { prefix, generation: 1, replication: 1, minInsync: 1 };
  const settings = { brokers: kafkaBrokers.split(',') };
  const kafka = createKafka({ settings, clientId: 'test', logger: silentLogger });
  await createTopics({ kafka, topics: topicSpecs(wiring), logger: silentLogger });
  const operatorToken = randomBytes(16).toString('hex');
  const key = randomBytes(32).toString('base64');
  const running = new Set<PortalProcess>();

  return {
    kafka,
    wiring,
    postgresUrl: database.url,
    async start(): Promise<PortalProcess> {
      const [port, adminPort] = await freePorts(2);
      const child = spawn(process.execPath, [main], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          SERVICE_ENV: 'sandbox',
          TRIBUTARY_LOG_LEVEL: 'error',
          TRIBUTARY_HOST: '127.0.0.1',
          TRIBUTARY_PORT: String(port),
          TRIBUTARY_ADMIN_PORT: String(adminPort),
          TRIBUTARY_KAFKA_BROKERS: kafkaBrokers,
          TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS: String(testSessionTimeoutMs),
          TRIBUTARY_TOPIC_PREFIX: prefix,
          TRIBUTARY_TOPIC_REPLICATION: '1',
          TRIBUTARY_TOPIC_MIN_INSYNC: '1',
          TRIBUTARY_POSTGRES_URL: database.url,
          TRIBUTARY_OPERATOR_TOKEN: operatorToken,
          TRIBUTARY_INTERNAL_TOKEN: options.token,
          TRIBUTARY_ATTRIBUTION_ADMIN_URL: nobody,
          TRIBUTARY_REWARDS_ADMIN_URL: nobody,
          TRIBUTARY_WEBHOOK_DISPATCHER_URL: nobody,
          TRIBUTARY_REPLAY_ADMIN_URL: options.replayUrl ?? nobody,
          TRIBUTARY_PROCESSOR_ADMIN_URL: options.processorUrl ?? nobody,
          TRIBUTARY_PUBLIC_URL: nobody,
          TRIBUTARY_CONSUMER_GROUP: `portal-${prefix}`,
          TRIBUTARY_TOKEN_VERIFY_KEYS: verifyKeyOf(makeTokenSigningKey('token-1')),
          TRIBUTARY_PRODUCT_SECRET_KEY_RING: `product-1:${key}`,
          TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: `webhook-1:${key}`,
          TRIBUTARY_PROCESSOR_KEY_RING: `processor-1:${key}`,
          TRIBUTARY_SECOND_FACTOR_KEY_RING: `second-1:${key}`,
          TRIBUTARY_ACCESS_KEY_DIGEST_KEY: key,
          TRIBUTARY_UCC_KEY: key,
        },
      });
      const exited = once(child, 'exit');
      let logged = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (logged += text));
      const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
        running.delete(one);
        child.kill(signal);
        await exited;
      };
      const one: PortalProcess = {
        kill: () => end('SIGKILL'),
        stop: () => end('SIGTERM'),
        async call(method, path, body) {
          const response = await fetch(`http://127.0.0.1:${port}${path}`, {
            method,
            headers: {
              authorization: `Bearer ${operatorToken}`,
              'content-type': 'application/json',
            },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          });
          const answer = (await response.json()) as Record<string, unknown>;
          return { status: response.status, body: answer };
        },
        readiness: async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz?all`)).status,
      };
      running.add(one);
      await eventually(
        async () => {
          if (child.exitCode !== null) return;
          const { status } = await one.call('GET', '/api/tenants');
          if (status !== 200) throw new Error(`the portal answers ${status}`);
        },
        { deadlineMs: 30_000 },
      );
      if (child.exitCode !== null) {
        throw new Error(`the portal ended with ${child.exitCode}: ${logged}`);
      }
      return one;
    },
    async end() {
      await Promise.all([...running].map((portal) => portal.stop()));
      if ('drop' in database) await database.drop();
    },
  };
}

export type PortalProcess = {
  kill(): Promise<void>;
  stop(): Promise<void>;
  call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Status of /readyz. */
  readiness(): Promise<number>;
};

const nobody = 'http://127.0.0.1:1';
const main = fileURLToPath(new URL('../main.ts', import.meta.url));
