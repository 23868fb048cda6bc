import { expect } from 'chai';
import type pg from 'pg';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { createLogger } from './logger.ts';
import {
  afterCommit,
  allowIdle,
  createPool,
  inOneSnapshot,
  inTransaction,
  isTransientPostgresError,
  type TransactionEnd,
  type Tx,
  whenOver,
} from './postgres.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('Postgres pool', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  before(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema: 'own', poolSize: 4 };
    const searchPath = ['own', 'odd "name, 2'];
    pool = createPool(settings, { searchPath, applicationName: 'spec', logger });
    await pool.query('create schema own');
    await pool.query('create schema "odd ""name, 2"');
    await pool.query('create table "odd ""name, 2".elsewhere (n int)');
    await pool.query('create table note (n int primary key)');
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  const notes = async () => {
    const { rows } = await pool.query<{ n: number }>('select n from note order by n');
    return rows.map(({ n }) => n);
  };

  it('tells how a transaction ended: committed, rolled back, or nobody knows', async () => {
    const ends: TransactionEnd[] = [];
    const run = (work: (tx: Tx) => Promise<unknown>) =>
      inTransaction(pool, async (tx) => {
        whenOver(tx, (end) => void ends.push(end));
        await work(tx);
      }).catch(() => undefined);
    await run((tx) => tx.query('select 1'));
    await run(() => Promise.reject(new Error('no')));
    // A failed statement that nobody minds: the commit is a rollback.
    await run((tx) => tx.query('select 1 / 0').catch(() => undefined));
    await run((tx) => tx.query('select pg_terminate_backend(pg_backend_pid())'));
    expect(ends).to.deep.equal(['committed', 'rolled-back', 'rolled-back', 'unknown']);
    const tx = await pool.connect();
    expect(() => whenOver(tx, () => undefined)).to.throw('nobody will tell');
    tx.release();
  });

  it('finds unqualified names in its search path and creates in the first of it', async () => {
    const { rows } = await pool.query(
      `select 'note'::regclass::oid = 'own.note'::regclass::oid as own, count(*) from elsewhere`,
    );
    expect(rows).to.deep.equal([{ own: true, count: '0' }]);
  });

  it('has the schema of its settings as search path when none is given', async () => {
    const settings = { url: database.url, schema: 'own', poolSize: 1 };
    const plain = createPool(settings, { applicationName: 'spec', logger });
    const { rows } = await plain.query('show search_path');
    await plain.end();
    expect(rows).to.deep.equal([{ search_path: '"own"' }]);
  });

  it('has no statement compiled first', async () => {
    const { rows } = await pool.query('show jit');
    expect(rows).to.deep.equal([{ jit: 'off' }]);
  });

  it('gives bigint and numeric as exact text, and timestamps as text in UTC', async () => {
    const { rows } = await pool.query(
      `select 9007199254740993::bigint as big, 0.10::numeric as exact,
              '2026-01-01T00:00:00+02:00'::timestamptz::text as at`,
    );
    expect(rows).to.deep.equal([
      { big: '9007199254740993', exact: '0.10', at: '2025-12-31 22:00:00+00' },
    ]);
  });

  it('commits what a transaction returns, at read committed', async () => {
    const level = await inTransaction(pool, async (tx) => {
      await tx.query('insert into note (n) values (1)');
      const { rows } = await tx.query('show transaction isolation level');
      return rows[0] as unknown;
    });
    expect(level).to.deep.equal({ transaction_isolation: 'read committed' });
    expect(await notes()).to.deep.equal([1]);
  });

  it('reads one snapshot, whatever is committed meanwhile, and writes nothing', async () => {
    const countOf = async (db: pg.Pool | Tx) =>
      (await db.query<{ count: string }>('select count(*) from note where n > 70')).rows[0]?.count;
    const seen = await inOneSnapshot(pool, async (tx) => {
      const before = await countOf(tx);
      await pool.query('insert into note values (71)');
      return [before, await countOf(tx), await countOf(pool)];
    });
    expect(seen).to.deep.equal(['0', '0', '1']);
    const write = inOneSnapshot(pool, (tx) => tx.query('insert into note values (72)'));
    const message = await write.then(String, ({ message: said }: Error) => said);
    expect(message).to.contain('read-only transaction');
    await pool.query('delete from note where n = 71');
  });

  it('acts after a commit that was acknowledged, and only then', async () => {
    const acted: string[] = [];
    const acting = (what: string, then: (tx: Tx) => Promise<unknown>) =>
      inTransaction(pool, async (tx) => {
        afterCommit(tx, (of) => acted.push(of === pool ? what : 'of another pool'));
        await then(tx);
        expect(acted).to.not.include(what);
      });
    await acting('committed', (tx) => tx.query('insert into note values (101)'));
    expect(acted).to.deep.equal(['committed']);
    const thrown = await acting('thrown', () => Promise.reject(new Error('no'))).catch(String);
    expect(thrown).to.equal('Error: no');
    // The commit of a transaction in which a statement failed is a rollback.
    const failing = (tx: Tx) => tx.query('select 1 / 0').catch(() => undefined);
    expect(await acting('failed', failing).catch(String)).to.match(/rolled back/);
    // Nor is what one transaction was to do left to the next on its connection.
    await inTransaction(pool, (tx) => tx.query('delete from note where n = 101'));
    expect(acted).to.deep.equal(['committed']);
  });

  it('rolls back what a transaction throws, and throws the same', async () => {
    const failure = new Error('no');
    const outcome = inTransaction(pool, async (tx) => {
      await tx.query('insert into note (n) values (2)');
      throw failure;
    });
    expect(await outcome.catch((error: unknown) => error)).to.equal(failure);
    expect(await notes()).to.deep.equal([1]);
    expect(pool.idleCount).to.equal(pool.totalCount);
  });

  it('does not say that it is done where the commit was a rollback', async () => {
    const outcome = inTransaction(pool, async (tx) => {
      await tx.query('insert into note (n) values (3)');
      await tx.query('select 1 / 0').catch(() => undefined);
      return 'done';
    });
    const error = await outcome.catch((thrown: unknown) => thrown);
    expect(String(error)).to.equal(
      'Error: the transaction was rolled back: a statement in it failed',
    );
    expect(isTransientPostgresError(error)).to.equal(false);
    expect(await notes()).to.deep.equal([1]);
    expect(pool.idleCount).to.equal(pool.totalCount);
  });

  it('survives connections that are killed, under way and idle, and says that it was transient', async () => {
    const outcome = inTransaction(pool, async (tx) => {
      await tx.query('select pg_terminate_backend(pg_backend_pid())');
    });
    const error = await outcome.catch((thrown: unknown) => thrown);
    expect(isTransientPostgresError(error), String(error)).to.equal(true);

    await Promise.all([notes(), notes()]);
    expect(pool.idleCount).to.equal(2);
    const killer = createPool(
      { url: database.url, schema: 'own', poolSize: 1 },
      { applicationName: 'killer', logger },
    );
    await killer.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'spec' and datname = current_database()`,
    );
    await killer.end();
    await eventually(() => expect(pool.totalCount).to.equal(0));
    expect(await notes()).to.deep.equal([1]);
  });

  it('takes the locks of who falls asleep inside a transaction after 5 s, not of who works', async function () {
    this.timeout(40_000);
    await pool.query('insert into note (n) values (7), (8)');
    const lock = (n: number) => `select n from note where n = ${n} for update`;
    const asleep = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const sleeper = inTransaction(pool, async (tx) => {
      await tx.query(lock(7));
      locked.resolve();
      await asleep.promise;
      await tx.query('update note set n = 70 where n = 7');
    }).catch((error: unknown) => error);
    const worker = inTransaction(pool, async (tx) => {
      await tx.query(lock(8));
      await tx.query('select pg_sleep(7)');
      await tx.query('update note set n = 80 where n = 8');
    });
    await locked.promise;
    const startedMs = performance.now();
    await inTransaction(pool, async (tx) => {
      await tx.query(`set local lock_timeout = '15s'`);
      await tx.query(lock(7));
    });
    expect(performance.now() - startedMs).to.be.within(3_000, 15_000);
    asleep.resolve();
    const error = await sleeper;
    expect(isTransientPostgresError(error), String(error)).to.equal(true);
    await worker;
    expect(await notes())
      .to.include.members([7, 80])
      .and.not.include(70);
    await pool.query('delete from note where n > 1');
  });

  it('lets who waits for something else stay as long as it says', async function () {
    this.timeout(40_000);
    const idleMs = await inTransaction(pool, async (tx) => {
      await allowIdle(tx, 7_500);
      const { rows } = await tx.query<{ idle_in_transaction_session_timeout: string }>(
        'show idle_in_transaction_session_timeout',
      );
      return rows[0]!.idle_in_transaction_session_timeout;
    });
    expect(idleMs).to.equal('7500ms');
    const { rows } = await pool.query('show idle_in_transaction_session_timeout');
    expect(rows).to.deep.equal([{ idle_in_transaction_session_timeout: '5s' }]);
  });

  it('keeps the number of listeners on a connection that is used again and again', async () => {
    const counts: number[] = [];
    for (let i = 0; i < 5; i++) {
      await inTransaction(pool, (tx) => Promise.resolve(counts.push(tx.listenerCount('error'))));
    }
    expect(new Set(counts.slice(1)).size).to.equal(1);
  });

  it('calls a server that is not there transient', async () => {
    const settings = { url: 'postgresql://nobody@127.0.0.1:1/x', schema: 's', poolSize: 1 };
    const nowhere = createPool(settings, { applicationName: 'spec', logger });
    const error = await nowhere.query('select 1').catch((thrown: unknown) => thrown);
    await nowhere.end();
    expect(isTransientPostgresError(error)).to.equal(true);
  });
});
