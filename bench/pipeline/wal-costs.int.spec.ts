import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import pg from 'pg';
import { countersBetween, readCounters, readWalPosition } from './counters.ts';
import { readWalCosts, transactionsBySchema, transactionsIn } from './wal-costs.ts';

describe('what rows cost', () => {
  let database: TestDatabase;
  let db: pg.Client;
  before(async () => {
    database = await createDatabase();
    db = new pg.Client({ connectionString: database.url });
    await db.connect();
    await db.query('create extension pg_walinspect');
    await db.query(`create schema fold`);
    await db.query('create schema other create table gone (id int primary key)');
    await db.query('create table fold.fact (id int primary key, name text, kind text)');
    await db.query(`create index fact_rare on fold.fact (name) where kind = 'rare'`);
  });
  after(async () => {
    await db?.end();
    await database?.drop();
  });

  it('is counted in rows, in entries of indexes and in transactions', async () => {
    const before = await readCounters(db);
    const from = await readWalPosition(db);
    const count = 2_000;
    await db.query(
      `insert into fold.fact
       select n, md5(n::text), case when n % 10 = 0 then 'rare' end
       from generate_series(1, ${count}) as n order by md5(n::text)`,
    );
    // One transaction that writes in two schemas.
    await db.query(
      `with gone as (delete from fold.fact where id <= 100 returning id)
       insert into other.gone select id from gone`,
    );
    const costs = await readWalCosts(db, { from, to: await readWalPosition(db) });
    const { rows } = countersBetween(before, await readCounters(db));

    expect(rows.get('fold.fact')).to.deep.equal({ inserted: count, updated: 0, deleted: 100 });
    expect(transactionsBySchema(costs)).to.deep.equal({ fold: 2, other: 1 });
    expect(transactionsIn(costs, /^(fold|other)$/)).to.equal(2);
    const of = (name: string) => costs.relations.find((relation) => relation.name === name);
    // Splits of leaves count, those above them and what vacuum does do not.
    expect(of('fold.fact_pkey')).to.include({ isIndex: true, insertions: count });
    expect(of('fold.fact_rare')).to.include({ isIndex: true, insertions: count / 10 });
    expect(of('fold.fact')).to.include({ isIndex: false, insertions: 0 });
    expect(of('fold.fact')!.bytes).to.be.above(count * 40);
  });
});
