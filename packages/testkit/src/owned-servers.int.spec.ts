import { expect } from 'chai';
import { Redis } from 'ioredis';
import { connect } from 'node:net';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { startOwned } from './owned-servers.ts';
import type { TestServer } from './test-server.ts';

describe('an owned server', function () {
  this.timeout(120_000);
  const owned: TestServer[] = [];

  const start = async (kind: TestServer['kind']): Promise<TestServer> => {
    const server = await startOwned(kind);
    owned.push(server);
    return server;
  };

  after(() => Promise.all(owned.map((server) => server.stop())));

  it('keeps what Redis acknowledged through a kill, at the same address', async () => {
    const server = await start('redis');
    await withRedis(server.address, (redis) => redis.set('kept', 'yes'));
    await server.kill();
    await expectRefused(server.address);
    await server.restart();
    expect(await withRedis(server.address, (redis) => redis.get('kept'))).to.equal('yes');
  });

  it('keeps what Postgres committed through a kill, at the same address', async () => {
    const server = await start('postgres');
    await query(server.address, 'create table kept as select 7 as seven');
    await server.kill();
    await expectRefused(server.address);
    await server.restart();
    const rows = await eventually(() => query(server.address, 'select seven from kept'));
    expect(rows).to.deep.equal([{ seven: 7 }]);
  });

  it('brings Kafka back after a kill, at the same address', async () => {
    const server = await start('kafka');
    await server.kill();
    await expectRefused(server.address);
    await server.restart();
    await expectOpen(server.address);
  });

  it('gives no answer while it is paused and goes on when resumed', async () => {
    const server = await start('redis');
    const redis = new Redis(server.address);
    await redis.ping();
    await server.pause();
    let answered = false;
    const late = redis.ping().then(() => (answered = true));
    await eventually(() => expectOpen(server.address)); // the kernel still accepts
    expect(answered).to.equal(false);
    await server.resume();
    await late;
    redis.disconnect();
  });

  it('can be restarted while it is paused', async () => {
    const server = await start('redis');
    await server.pause();
    await server.restart();
    expect(await withRedis(server.address, (redis) => redis.ping())).to.equal('PONG');
  });
});

async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function expectRefused(address: string): Promise<void> {
  const outcome = await expectOpen(address).then(
    () => 'open',
    () => 'refused',
  );
  expect(outcome).to.equal('refused');
}

function expectOpen(address: string): Promise<void> {
  const [host, port] = address.replace(/^.*[/@]([^/@]+:\d+).*$/, '$1').split(':');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), host, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
