import { expect } from 'chai';
import { Redis } from 'ioredis';
import { connect } from 'node:net';
import pg from 'pg';
import { createDatabase, createPreparedDatabase } from './database.ts';
import { getServers } from './servers.ts';

describe('the shared servers', () => {
  it('answer at the addresses given', async () => {
    const { kafkaBrokers, redisUrl, postgresUrl } = await getServers();
    expect(await redisReply(redisUrl)).to.equal('PONG');
    expect(await query(postgresUrl, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    await answersOnTcp(kafkaBrokers);
  });

  it('are the same for every caller', async () => {
    expect(await getServers()).to.equal(await getServers());
  });

  it('keep Redis from dropping keys (design 5)', async () => {
    const redis = new Redis((await getServers()).redisUrl);
    const [, policy] = await redis.config('GET', 'maxmemory-policy');
    const [, aof] = await redis.config('GET', 'appendonly');
    redis.disconnect();
    expect({ policy, aof }).to.deep.equal({ policy: 'noeviction', aof: 'yes' });
  });
});

describe('createDatabase', () => {
  it('gives databases that do not see each other', async () => {
    const [one, two] = [await createDatabase(), await createDatabase()];
    await query(one.url, 'create table things (id int)');
    const tables = `select tablename from pg_tables where tablename = 'things'`;
    expect(await query(one.url, tables)).to.have.length(1);
    expect(await query(two.url, tables)).to.have.length(0);
    await one.drop();
    await two.drop();
  });

  it('drops a database that still has connections', async () => {
    const database = await createDatabase();
    const client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    await database.drop();
    const name = new URL(database.url).pathname.slice(1);
    const found = `select 1 from pg_database where datname = '${name}'`;
    expect(await query((await getServers()).postgresUrl, found)).to.have.length(0);
  });
});

describe('createPreparedDatabase', () => {
  it('gives databases that are prepared once and do not see each other', async () => {
    let prepared = 0;
    const prepare = async (url: string) => {
      prepared += 1;
      await query(url, 'create table things as select 7 as id');
    };
    const [one, two] = await Promise.all([
      createPreparedDatabase('things', prepare),
      createPreparedDatabase('things', prepare),
    ]);
    await query(one.url, 'delete from things');
    expect(await query(one.url, 'select id from things')).to.deep.equal([]);
    expect(await query(two.url, 'select id from things')).to.deep.equal([{ id: 7 }]);
    const three = await createPreparedDatabase('things', prepare);
    expect(await query(three.url, 'select id from things')).to.deep.equal([{ id: 7 }]);
    expect(prepared).to.equal(1);
    await Promise.all([one, two, three].map((database) => database.drop()));
  });

  it('prepares again for the next caller what failed', async () => {
    const fail = () => Promise.reject(new Error('for a moment'));
    const failed = await createPreparedDatabase('later', fail).catch((error: unknown) => error);
    expect(String(failed)).to.include('for a moment');
    const prepare = (url: string) => query(url, 'create table things ()').then(() => undefined);
    const database = await createPreparedDatabase('later', prepare);
    expect(await query(database.url, 'select from things')).to.deep.equal([]);
    await database.drop();
  });

  it('gives another one for another name', async () => {
    const empty = await createPreparedDatabase('no things', () => Promise.resolve());
    const tables = `select tablename from pg_tables where tablename = 'things'`;
    expect(await query(empty.url, tables)).to.have.length(0);
    await empty.drop();
  });
});

async function redisReply(url: string): Promise<string> {
  const redis = new Redis(url);
  try {
    return await redis.ping();
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

function answersOnTcp(address: string): Promise<void> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), host, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
