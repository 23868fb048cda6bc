import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@tributary/native-servers/postgres';
import { startRedis } from '@tributary/native-servers/redis';
import { freePorts } from '@tributary/testkit/free-port';
import { silentLogger } from '@tributary/event-log/testing';
import { attackMade } from '@tributary/testkit/attacks';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import { redisAccess } from '../deploy/local/stack-servers.ts';
import { createPasswords } from '../deploy/local/service-passwords.ts';
import { applyPostgresRoles } from '../deploy/roles/apply-postgres.ts';
import { checkPostgresRoles } from '../deploy/roles/check-postgres.ts';
import { applyRedisUsers, checkRedisUsers } from '../deploy/roles/apply-redis.ts';
import {
  defaultRolePrefix as prefix,
  createsSchemas,
  generationsSchema,
  type PostgresPrincipal,
  postgresTable,
  roleName,
} from '../deploy/roles/roles-table.ts';
import { runCommandsOf } from './runbook-commands.ts';

// What each principal of the stores may not do, tried on servers with the roles of the table. Every
// schema holds a table, made by its owner. Each attempt is made and counted; the words in which the
// server refused it are printed.

const principals = Object.keys(postgresTable) as PostgresPrincipal[];
const schemas = principals.flatMap((owner) =>
  postgresTable[owner].owns.map((schema) => ({ schema, owner })),
);
const passwords = createPasswords();
const logger = silentLogger;

describe('the rights of the services in their stores', function () {
  this.timeout(120_000);
  let dir: string;
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let admin: Redis;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-rights-'));
    const [postgresPort = 0, redisPort = 0] = await freePorts(2);
    postgres = await startPostgres({
      ...{ dir: join(dir, 'postgres'), port: postgresPort, database: 'tributary', durable: false },
      password: passwords.postgres.admin,
    });
    const access = redisAccess(passwords.redis);
    redis = await startRedis({ dir: join(dir, 'redis'), port: redisPort, access });
    admin = new Redis(redis.url);
    await apply();
    for (const { schema, owner } of schemas) {
      await as(owner, async (db) => {
        await db.query(`create table ${schema}.kept (secret text)`);
        await db.query(`insert into ${schema}.kept values ('of ${owner}')`);
      });
    }
  });
  after(async () => {
    admin?.disconnect();
    await postgres?.kill();
    await redis?.kill();
    if (dir) await rm(dir, { recursive: true, force: true });
  });

  it('in Postgres end at the schemas of others, and at the server', async () => {
    const refused: string[] = [];
    let tried = 0;
    for (const principal of principals) {
      for (const attempt of attemptsOf(principal)) {
        tried += 1;
        const words = await as(principal, (db) => wordsOf(db.query(attempt)));
        expect(words, `${principal}: ${attempt}`).to.match(/permission denied|must be|not allowed/);
        refused.push(`${principal}: ${attempt} — ${words}`);
        attackMade('principals', `Postgres: ${principal}: ${attempt}`);
      }
    }
    console.log(refused.map((line) => `      ${line}`).join('\n'));
    expect(refused).to.have.length(tried);
    expect(tried).to.be.greaterThan(200);
  });

  it('in Postgres need a password, and the right one', async () => {
    const { port } = postgres;
    for (const password of ['', 'guess']) {
      const url = `postgresql://postgres:${password}@127.0.0.1:${port}/tributary`;
      const words = await wordsOf(withClient(url, (db) => db.query('select 1')));
      expect(words).to.match(/password/);
      attackMade('principals', `Postgres: the superuser with the password "${password}"`);
    }
  });

  it('in Postgres stop rewards from nothing that it does in the registry', async () => {
    await as('rewards', async (db) => {
      await db.query('begin');
      await db.query(`lock table ${generationsSchema}.live_generation in exclusive mode`);
      await db.query(`select from ${generationsSchema}.live_generation for share`);
      await db.query('commit');
      await db.query('create schema rewards_g2');
    });
    await as('replay', (db) => db.query('drop schema rewards_g2 cascade'));
  });

  it('in Postgres are those of a second login too, by which a password changes without a stop', async () => {
    const [role, second] = [roleName(prefix, 'rewards'), `${roleName(prefix, 'rewards')}_b`];
    await withClient(postgres.url, async (db) => {
      await db.query(`create role ${second} login password 'the-new-one' in role ${role}`);
      await db.query(`alter role ${second} set role = '${role}'`);
    });
    const url = new URL(postgres.url);
    url.username = second;
    url.password = 'the-new-one';
    await withClient(url.href, async (db) => {
      await db.query('create table rewards_g1.made_meanwhile ()');
      const words = await wordsOf(db.query('select secret from portal.kept'));
      expect(words).to.match(/permission denied for schema portal/);
    });
    expect(await check()).to.deep.equal([]);
    await as('rewards', (db) => db.query('drop table rewards_g1.made_meanwhile'));
  });

  it('in Postgres come back with a backup, also on a server that never had the roles', async () => {
    const at = (url: string) => ({ database: url, cwd: dir });
    await runCommandsOf('backup.md', 'pg_dump', at(postgres.url));
    const [port = 0] = await freePorts(1);
    const other = await startPostgres({
      ...{ dir: join(dir, 'other'), port, database: 'tributary', durable: false },
      password: passwords.postgres.admin,
    });
    try {
      for (const { url } of [postgres, other]) {
        const store = { admin: { url }, prefix };
        await runCommandsOf('postgres-restored.md', 'pg_restore', at(url));
        expect(await checkPostgresRoles(store)).to.not.deep.equal([]);
        await applyPostgresRoles({ ...store, passwords: passwords.postgres, logger });
        expect(await checkPostgresRoles(store)).to.deep.equal([]);
        const own = new URL(url);
        own.username = roleName(prefix, 'rewards');
        own.password = passwords.postgres['rewards'];
        await withClient(own.href, async (db) => {
          expect((await db.query('select secret from rewards_g1.kept')).rows).to.deep.equal([
            { secret: 'of rewards' },
          ]);
          const words = await wordsOf(db.query('select secret from portal.kept'));
          expect(words).to.match(/permission denied for schema portal/);
        });
      }
    } finally {
      await other.kill();
    }
  });

  it('in Redis end at its key prefix and its commands', async () => {
    const url = new URL(redis.url);
    url.username = roleName(prefix, 'ingest-api');
    url.password = passwords.redis['ingest-api'];
    const words = await redisWords(url.href, redisAttempts);
    expect(words).to.have.length(redisAttempts.length);
    for (const { attempt, said } of words) {
      console.log(`      ingest-api: ${attempt} — ${said}`);
      expect(said, attempt).to.match(/NOPERM|can't access|can't run|DEBUG command not allowed/);
      attackMade('principals', `Redis: ${attempt}`);
    }
    const allowed = await redisWords(url.href, [['SET', 'tributary:i:x', '1']]);
    expect(allowed[0]?.said).to.equal('OK');
    const nobody = await redisWords(`redis://127.0.0.1:${redis.port}`, [['GET', 'x'], ['PING']]);
    for (const { attempt, said } of nobody) {
      expect(said).to.match(/NOAUTH/);
      attackMade('principals', `Redis, without a password: ${attempt}`);
    }
  });

  it('in Redis lose nothing of what was acknowledged when it is killed', async () => {
    const url = new URL(redis.url);
    url.username = roleName(prefix, 'ingest-api');
    url.password = passwords.redis['ingest-api'];
    const key = 'tributary:i:kept';
    // More than one write of a script is a transaction of the append-only file.
    const script = `redis.call('set', KEYS[1], '1') return redis.call('pexpire', KEYS[1], ARGV[1])`;
    await redisWords(url.href, [['EVAL', script, '1', key, '600000']]);
    await redis.kill();
    await redis.restart();
    const [kept] = await redisWords(url.href, [['GET', key]]);
    expect(kept?.said).to.equal('1');
  });

  it('are checked against the table, and each difference is named', async () => {
    expect(await check()).to.deep.equal([]);
    await withClient(postgres.url, async (db) => {
      await db.query('grant tributary_portal to tributary_widget');
      await db.query('grant usage on schema portal to tributary_ingest_api');
      await db.query('alter role tributary_widget createdb');
      await db.query('revoke insert on generations.stage from tributary_portal');
      await db.query('revoke create on database tributary from tributary_rewards');
      await db.query('alter table dispatch.kept owner to postgres');
    });
    await admin.call('ACL', 'SETUSER', 'tributary_ingest_api', '+flushall', '~*');
    await admin.call('ACL', 'SETUSER', 'default', 'on', 'nopass');
    expect(await check()).to.deep.equal([
      'tributary_widget has powers of an administrator',
      'tributary_widget may act for tributary_portal, and should not',
      'tributary_webhook_dispatcher does not own table dispatch.kept: postgres does',
      'tributary_rewards lacks CREATE on database tributary',
      'tributary_portal lacks INSERT on generations.stage',
      'tributary_ingest_api can look into schema portal, and should not',
      'the user default is on: whoever reaches redis may do everything',
      'tributary_ingest_api lacks ~tributary:i:*',
      'tributary_ingest_api lacks ~tributary:idempotency*',
      'tributary_ingest_api has +flushall, and should not',
      'tributary_ingest_api has ~*, and should not',
    ]);
    await admin.call('ACL', 'SETUSER', 'default', 'off');
    await withClient(postgres.url, async (db) => {
      await db.query('revoke tributary_portal from tributary_widget');
      await db.query('revoke usage on schema portal from tributary_ingest_api');
    });
    await apply();
    expect(await check()).to.deep.equal([]);
  });

  async function apply(): Promise<void> {
    await applyPostgresRoles({ ...admins().postgres, passwords: passwords.postgres, logger });
    await applyRedisUsers({ ...admins().redis, passwords: passwords.redis, logger });
  }

  async function check(): Promise<string[]> {
    return [
      ...(await checkPostgresRoles(admins().postgres)),
      ...(await checkRedisUsers({ ...admins().redis, passwords: passwords.redis, logger })),
    ];
  }

  function admins() {
    return {
      postgres: { admin: { url: postgres.url }, prefix },
      redis: { admin: { url: redis.url }, prefix },
    };
  }

  function as<T>(principal: PostgresPrincipal, work: (db: pg.Client) => Promise<T>): Promise<T> {
    const url = new URL(postgres.url);
    url.username = roleName(prefix, principal);
    url.password = passwords.postgres[principal];
    return withClient(url.href, async (db) => {
      return work(db);
    });
  }
});

function attemptsOf(principal: PostgresPrincipal): string[] {
  const row = postgresTable[principal];
  const reachable = new Set([principal, ...(row.actsFor ?? [])]);
  const foreign = schemas.filter(({ owner }) => !reachable.has(owner)).map(({ schema }) => schema);
  return [
    ...foreign.flatMap((schema) => [
      `select secret from ${schema}.kept`,
      `update ${schema}.kept set secret = ''`,
      `create table ${schema}.mine ()`,
      `drop table ${schema}.kept`,
      `drop schema ${schema} cascade`,
    ]),
    `create role friend superuser`,
    `alter role ${roleName(prefix, principal)} superuser`,
    `set role postgres`,
    `alter system set log_statement = 'all'`,
    `copy (select 1) to program 'true'`,
    `select pg_read_file('/etc/passwd')`,
    `select * from pg_authid`,
    `create database mine`,
    `create table public.mine ()`,
    ...(createsSchemas(principal) ? [] : ['create schema mine']),
    ...(principal === 'replay' || principal === 'rewards'
      ? []
      : [`update ${generationsSchema}.live_generation set generation = 2`]),
  ];
}

const redisAttempts = [
  ['GET', 'other:key'],
  ['SET', 'tributary:sessions', '1'],
  ['DEL', 'other:key'],
  ['EVAL', `return redis.call('get', 'other:key')`, '0'],
  ['EVAL', `return redis.call('flushall')`, '0'],
  ['CONFIG', 'GET', '*'],
  ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'],
  ['FLUSHALL'],
  ['FLUSHDB'],
  ['KEYS', '*'],
  ['SCAN', '0'],
  ['ACL', 'LIST'],
  ['SHUTDOWN', 'NOSAVE'],
  ['REPLICAOF', '127.0.0.1', '1'],
  ['DEBUG', 'SLEEP', '1'],
  ['MODULE', 'LIST'],
  ['MONITOR'],
  ['CLIENT', 'KILL', 'TYPE', 'normal'],
  ['PUBLISH', 'x', 'y'],
  ['SAVE'],
] as const;

async function redisWords(url: string, attempts: readonly (readonly string[])[]) {
  const redis = new Redis(url, { enableReadyCheck: false, maxRetriesPerRequest: 1 });
  redis.on('error', () => undefined);
  const words: { attempt: string; said: string }[] = [];
  for (const [command = '', ...args] of attempts) {
    const answer = await redis.call(command, ...args).catch((error: Error) => error.message);
    words.push({ attempt: [command, ...args].join(' '), said: String(answer) });
  }
  redis.disconnect();
  return words;
}

async function withClient<T>(url: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: url });
  db.on('error', () => undefined);
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

async function wordsOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: Error) => error.message,
  );
}
