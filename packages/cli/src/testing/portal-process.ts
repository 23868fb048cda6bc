import { createKafka } from '@tributary/event-log/kafka';
import { silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { makeTokenSigningKey, verifyKeyOf } from '@tributary/runtime/token-keys';
import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { freePorts } from '@tributary/testkit/free-port';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A portal as operators meet it: a process of its own, known by its address and token only. */
export type PortalProcess = {
  url: string;
  token: string;
  stop(): Promise<number | null>;
  /** At once, wherever it is. */
  kill(): Promise<void>;
};

/** What several portals share, and what outlives them: topics, database, secrets. */
export type PortalHome = {
  prefix: string;
  kafkaBrokers: string;
  token: string;
  env: Record<string, string>;
  end(): Promise<void>;
};

const portalMain = fileURLToPath(
  new URL('../../../../services/portal/src/main.ts', import.meta.url),
);

export async function createPortalHome(): Promise<PortalHome> {
  const { kafkaBrokers } = await getServers();
  const database = await createDatabase();
  const prefix = uniquePrefix();
  await makeTopics(kafkaBrokers, prefix);
  const token = randomBytes(16).toString('hex');
  return {
    prefix,
    kafkaBrokers,
    token,
    env: {
      SERVICE_ENV: 'sandbox',
      TRIBUTARY_HOST: '127.0.0.1',
      TRIBUTARY_KAFKA_BROKERS: kafkaBrokers,
      TRIBUTARY_TOPIC_PREFIX: prefix,
      TRIBUTARY_TOPIC_REPLICATION: '1',
      TRIBUTARY_TOPIC_MIN_INSYNC: '1',
      TRIBUTARY_POSTGRES_URL: database.url,
      TRIBUTARY_OPERATOR_TOKEN: token,
      TRIBUTARY_INTERNAL_TOKEN: randomBytes(16).toString('hex'),
      TRIBUTARY_ATTRIBUTION_ADMIN_URL: 'http://127.0.0.1:1',
      TRIBUTARY_REWARDS_ADMIN_URL: 'http://127.0.0.1:1',
      TRIBUTARY_WEBHOOK_DISPATCHER_URL: 'http://127.0.0.1:1',
      TRIBUTARY_REPLAY_ADMIN_URL: 'http://127.0.0.1:1',
      TRIBUTARY_PROCESSOR_ADMIN_URL: 'http://127.0.0.1:1',
      TRIBUTARY_PUBLIC_URL: 'http://127.0.0.1:1',
      TRIBUTARY_CONSUMER_GROUP: `portal-${prefix}`,
      TRIBUTARY_TOKEN_VERIFY_KEYS: verifyKeyOf(makeTokenSigningKey('token-1')),
      TRIBUTARY_PRODUCT_SECRET_KEY_RING: `product-1:${randomBytes(32).toString('base64')}`,
      TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: `webhook-1:${randomBytes(32).toString('base64')}`,
      TRIBUTARY_PROCESSOR_KEY_RING: `processor-1:${randomBytes(32).toString('base64')}`,
      TRIBUTARY_SECOND_FACTOR_KEY_RING: `second-1:${randomBytes(32).toString('base64')}`,
      TRIBUTARY_ACCESS_KEY_DIGEST_KEY: randomBytes(32).toString('base64'),
      TRIBUTARY_UCC_KEY: randomBytes(32).toString('base64'),
    },
    end: () => database.drop(),
  };
}

/** In a home of its own, unless one is given. */
export async function startPortalProcess(given?: PortalHome): Promise<PortalProcess> {
  const home = given ?? (await createPortalHome());
  const [port, adminPort] = await freePorts(2);
  const child = spawn(process.execPath, [portalMain], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...home.env,
      TRIBUTARY_PORT: String(port),
      TRIBUTARY_ADMIN_PORT: String(adminPort),
    },
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let logged = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (logged += text));

  const stop = async () => {
    child.kill('SIGTERM');
    const [code] = await exited;
    if (given === undefined) await home.end();
    return code;
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  try {
    await eventually(
      async () => {
        if (child.exitCode !== null) return;
        const response = await fetch(`http://127.0.0.1:${adminPort}/readyz?all`);
        if (!response.ok) throw new Error(`the portal is not ready: ${await response.text()}`);
      },
      { deadlineMs: 20_000 },
    );
    if (child.exitCode !== null) {
      throw new Error(`the portal ended with ${child.exitCode}: ${logged}`);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `http://127.0.0.1:${port}`, token: home.token, stop, kill };
}

async function makeTopics(brokers: string, prefix: string): Promise<void> {
  const logger = silentLogger;
  const settings = { brokers: brokers.split(',') };
  const kafka = createKafka({ settings, clientId: 'test', logger });
  const wiring = { prefix, generation: 1, replication: 1, minInsync: 1 };
  await createTopics({ kafka, logger, topics: topicSpecs(wiring) });
}
