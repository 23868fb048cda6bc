import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { inDryRun } from './dry-run.ts';
import { createLogger } from './logger.ts';
import { createPool, inTransaction, isTransientPostgresError } from './postgres.ts';

const limits = { lockTimeoutMs: 100, statementTimeoutMs: 300 };

describe('a dry run on Postgres', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  before(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema: 'public', poolSize: 2 };
    const logger = createLogger({ service: 'test', level: 'silent' });
    pool = createPool(settings, { applicationName: 'spec', logger });
    await pool.query('create table note (n int primary key)');
  });
  beforeEach(async () => {
    await pool.query('truncate note');
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  const notes = async () => (await pool.query<{ n: number }>('select n from note')).rows;
  const failure = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'it did not fail',
      (error: unknown) => error,
    );

  it('gives what it saw, and leaves no row and no lock', async () => {
    const seen = await inDryRun(pool, limits, async (tx) => {
      await tx.query('select pg_advisory_xact_lock(7)');
      await tx.query('insert into note values (1)');
      return (await tx.query<{ n: number }>('select n from note')).rows;
    });
    expect(seen).to.deep.equal([{ n: 1 }]);
    expect(await notes()).to.deep.equal([]);
    const locks = await pool.query(
      `select from pg_locks where locktype = 'advisory'
         and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(locks.rowCount).to.equal(0);
  });

  it('leaves nothing when the work throws, and throws the same', async () => {
    const broken = new Error('broken');
    const error = await failure(
      inDryRun(pool, limits, async (tx) => {
        await tx.query('insert into note values (1)');
        throw broken;
      }),
    );
    expect(error).to.equal(broken);
    expect(await notes()).to.deep.equal([]);
  });

  it('waits for a lock and for a statement no longer than it may', async () => {
    await inTransaction(pool, async (tx) => {
      await tx.query('insert into note values (1)');
      const waiting = inDryRun(pool, limits, (dry) => dry.query('insert into note values (1)'));
      expect(isTransientPostgresError(await failure(waiting))).to.equal(true);
    });
    const sleeping = inDryRun(pool, limits, (dry) => dry.query('select pg_sleep(10)'));
    expect(isTransientPostgresError(await failure(sleeping))).to.equal(true);
  });

  it('ends after its time in all, lets go of its locks, and lets no later statement through', async () => {
    const later = Promise.withResolvers<unknown>();
    const slow = inDryRun(pool, { ...limits, totalTimeoutMs: 200 }, async (tx) => {
      await tx.query('insert into note values (1)');
      for (let i = 0; i < 4; i++) await tx.query('select pg_sleep(0.1)');
    });
    const goesOn = inDryRun(pool, { ...limits, totalTimeoutMs: 200 }, async (tx) => {
      await delay(400);
      later.resolve(await failure(tx.query('insert into note values (2)')));
    });
    for (const run of [slow, goesOn]) {
      expect(isTransientPostgresError(await failure(run))).to.equal(true);
    }
    expect(await later.promise).to.be.instanceOf(Error);
    await pool.query('insert into note values (1)');
    expect(await notes()).to.deep.equal([{ n: 1 }]);
    expect(pool.totalCount).to.be.at.most(2);
  });

  it('gives the connection back without its time limits', async () => {
    for (let i = 0; i < 3; i++) await inDryRun(pool, limits, (tx) => tx.query('select 1'));
    const { rows } = await pool.query<{ lock_timeout: string }>('show lock_timeout');
    expect(rows[0]?.lock_timeout).to.equal('0');
    expect(pool.totalCount).to.be.at.most(2);
  });
});
