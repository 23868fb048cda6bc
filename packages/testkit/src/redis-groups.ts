import { randomBytes, createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority } from '@tributary/native-servers/certificates';
import { startRedis } from '@tributary/native-servers/redis';
import { Redis } from 'ioredis';
import { eventually } from './eventually.ts';
import { freePort, freePorts } from './free-port.ts';
import { freshDirectory, toTestServer } from './native-test-servers.ts';
import { patiently } from './patience.ts';
import type { TestServer } from './test-server.ts';

// A Redis Cluster, and a Redis with Sentinel. They are always processes, also where the other
// servers are containers: each member announces the address by which the others and the clients
// reach it, and a container has another one inside than outside. `redis-server` 7 is needed.

export type RedisMember = TestServer & {
  /** `host:port`. */
  hostAndPort: string;
  /** While it is dead: what it held is gone, what it knows of the cluster is not. */
  empty(): Promise<void>;
};

/** So long a member must be silent until the others give it up: longer where all are slow. */
const silentMs = Math.min(patiently(1_500), 8_000);

/** What all members of a secured group have: the password of the user `default`, and TLS. */
type Secret = { password: string; tls: ReturnType<typeof issueTls> };

function issueTls() {
  const authority = createAuthority({ days: 1, now: new Date() });
  return authority.issue('redis', ['127.0.0.1']);
}

function secretFor({ secured = false }: { secured?: boolean }): Secret | undefined {
  if (!secured) return undefined;
  return { password: randomBytes(16).toString('hex'), tls: issueTls() };
}

/** For a client of a secured group. */
const trust = (secret: Secret | undefined) =>
  secret === undefined ? {} : { tls: { ca: secret.tls.authority } };

export type RedisCluster = {
  /** Whom clients of a secured group believe. */
  authority: string | undefined;
  /** Three that serve a third of the slots each. */
  masters: RedisMember[];
  /** One of each, in the same order; none where none was wanted. */
  replicas: RedisMember[];
  stop(): Promise<void>;
};

export async function startRedisCluster(options: {
  replicas: boolean;
  /** With TLS and a password. */
  secured?: boolean;
}): Promise<RedisCluster> {
  const secret = secretFor(options);
  const members = await Promise.all(
    Array.from({ length: options.replicas ? 6 : 3 }, async () => {
      const busPort = await freePort();
      return startMember(secret, [
        'cluster-enabled yes',
        `cluster-port ${busPort}`,
        `cluster-node-timeout ${silentMs}`,
        // A third that is down must not keep the others from answering.
        'cluster-require-full-coverage no',
      ]).then((member) => ({ member, busPort }));
    }),
  );
  const clients = members.map(({ member }) => new Redis(member.address, trust(secret)));
  try {
    const [first, ...others] = clients;
    await Promise.all(
      clients.slice(0, 3).map((client, i) => {
        const range = [Math.ceil((i * 16_384) / 3), Math.ceil(((i + 1) * 16_384) / 3) - 1];
        return client.call('CLUSTER', 'ADDSLOTSRANGE', ...range);
      }),
    );
    await Promise.all(
      clients.map((client, i) => client.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1)),
    );
    for (const [i] of others.entries()) {
      const { member, busPort } = members[i + 1]!;
      await first!.call('CLUSTER', 'MEET', ...member.hostAndPort.split(':'), busPort);
    }
    await eventually(async () => {
      for (const client of clients) await knows(client, members.length);
    });
    for (const [i, replica] of clients.slice(3).entries()) {
      await replica.call(
        'CLUSTER',
        'REPLICATE',
        (await clients[i]!.call('CLUSTER', 'MYID')) as string,
      );
    }
    await eventually(
      async () => {
        for (const client of clients) await isWhole(client);
        for (const replica of clients.slice(3)) await isLinked(replica);
      },
      { deadlineMs: 20_000 },
    );
  } finally {
    for (const client of clients) client.disconnect();
  }
  const all = members.map(({ member }) => member);
  return {
    authority: secret?.tls.authority,
    masters: all.slice(0, 3),
    replicas: all.slice(3),
    stop: async () => void (await Promise.all(all.map((member) => member.stop()))),
  };
}

async function knows(client: Redis, count: number): Promise<void> {
  const nodes = String(await client.call('CLUSTER', 'NODES'))
    .trim()
    .split('\n');
  const met = nodes.filter((line) => !/handshake|noaddr/.test(line));
  if (met.length !== count) throw new Error(`knows ${met.length} of ${count} members`);
}

async function isWhole(client: Redis): Promise<void> {
  const info = String(await client.call('CLUSTER', 'INFO'));
  if (!/cluster_state:ok[^]*cluster_slots_ok:16384/.test(info)) throw new Error(info);
}

async function isLinked(replica: Redis): Promise<void> {
  const info = await replica.info('replication');
  if (!info.includes('master_link_status:up')) throw new Error(info);
}

export type RedisWithSentinels = {
  authority: string | undefined;
  masterName: string;
  /** The first is the master at the start. */
  servers: [RedisMember, RedisMember];
  sentinels: RedisMember[];
  /** `host:port` of the master, by what most of the sentinels say. */
  master(): Promise<string>;
  stop(): Promise<void>;
};

export async function startRedisWithSentinels(
  options: { secured?: boolean } = {},
): Promise<RedisWithSentinels> {
  const secret = secretFor(options);
  const masterName = 'keys';
  const master = await startMember(secret, []);
  const [host, port] = master.hostAndPort.split(':');
  const replica = await startMember(secret, [`replicaof ${host} ${port}`]);
  await withClient(secret, replica, (client) => eventually(() => isLinked(client)));
  const settings = [
    `sentinel monitor ${masterName} ${host} ${port} 2`,
    `sentinel down-after-milliseconds ${masterName} ${silentMs}`,
    `sentinel failover-timeout ${masterName} 6000`,
    ...(secret === undefined ? [] : [`sentinel auth-pass ${masterName} ${secret.password}`]),
    ...(secret === undefined ? [] : [`sentinel sentinel-pass ${secret.password}`]),
  ];
  const sentinels = await Promise.all([1, 2, 3].map(() => startMember(secret, settings, true)));
  for (const sentinel of sentinels) {
    await withClient(secret, sentinel, (client) =>
      eventually(
        async () => {
          // Itself not counted.
          const known = (await client.call('SENTINEL', 'SENTINELS', masterName)) as unknown[];
          const replicas = (await client.call('SENTINEL', 'REPLICAS', masterName)) as unknown[];
          if (known.length !== 2 || replicas.length !== 1) throw new Error('they have not met');
        },
        { deadlineMs: 30_000 },
      ),
    );
  }
  const all = [...sentinels, replica, master];
  return {
    authority: secret?.tls.authority,
    masterName,
    servers: [master, replica],
    sentinels,
    async master() {
      const named = await Promise.all(
        sentinels.map((sentinel) =>
          withClient(secret, sentinel, (client) =>
            client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName),
          ).then((address) => (address as string[]).join(':')),
        ),
      );
      return named.find((one, i) => named.indexOf(one) !== i) ?? '';
    },
    stop: async () => void (await Promise.all(all.map((member) => member.stop()))),
  };
}

async function withClient<T>(
  secret: Secret | undefined,
  member: RedisMember,
  work: (client: Redis) => Promise<T>,
): Promise<T> {
  const client = new Redis(member.address, { enableReadyCheck: false, ...trust(secret) });
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

async function startMember(
  secret: Secret | undefined,
  settings: readonly string[],
  isSentinel = false,
): Promise<RedisMember> {
  const [port = 0] = await freePorts(1);
  const server = await startRedis({
    dir: await freshDirectory('redis'),
    port,
    settings: [...settings, ...(secret === undefined ? [] : linksOf(secret, isSentinel))],
    isSentinel,
    ...(secret === undefined ? {} : { access: accessBy(secret), tls: secret.tls }),
  });
  return {
    ...toTestServer('redis', server, server.url),
    hostAndPort: `127.0.0.1:${port}`,
    empty: () => rm(join(server.dir, 'data', 'appendonlydir'), { recursive: true }),
  };
}

function accessBy({ password }: Secret) {
  const digest = createHash('sha256').update(password).digest('hex');
  const users = `user default on #${digest} ~* &* +@all\n`;
  return { users, admin: { name: 'default', password } };
}

/** How the members reach each other. */
function linksOf({ password }: Secret, isSentinel: boolean): string[] {
  const trusting = ['tls-replication yes'];
  return isSentinel ? trusting : [...trusting, 'tls-cluster yes', `masterauth ${password}`];
}
