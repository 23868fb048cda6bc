import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import pg from 'pg';
import { runPureSql } from './pure-sql.ts';

describe('the rows of a fold by pure SQL', () => {
  let database: TestDatabase;
  let db: pg.Client;
  before(async () => {
    database = await createDatabase();
    db = new pg.Client({ connectionString: database.url });
    await db.connect();
    // Entries lie in another order than their postings, and sort before them by name.
    await db.query(`
      create schema attribution_g1; create schema rewards_g1;
      create table attribution_g1.fact (event_id text primary key, record json, place int);
      create table attribution_g1.outbox (id int);
      insert into attribution_g1.fact select 'e' || n, '{"a":"b,c"}', n
        from generate_series(1, 2000) as n;
      set search_path to rewards_g1;
      create table ledger_posting (posting_id bigint primary key);
      create table ledger_entry (posting_id bigint references ledger_posting, account text,
        credits numeric, primary key (posting_id, account));
      create function refuse() returns trigger language plpgsql as $$ begin
        if exists (select from written group by posting_id having sum(credits) <> 0) then
          raise exception 'unbalanced'; end if; return null; end $$;
      create trigger balanced after insert on ledger_entry referencing new table as written
        for each statement execute function refuse();
      insert into ledger_posting select n from generate_series(1, 3000) as n;
      insert into ledger_entry select n, account, credits from generate_series(1, 3000) as n,
        (values ('owed', 1), ('entitled', -1)) as two(account, credits) order by md5(n::text);
      reset search_path`);
  });
  after(async () => {
    await db?.end();
    await database?.drop();
  });

  it('are a share of each table, with each entry in the transaction of its posting', async () => {
    const written = await runPureSql({
      from: { postgresUrl: database.url, events: 2_000 },
      sample: 1_000,
      progress: () => undefined,
    });
    expect(written).to.include({ events: 1_000, rows: 1_000 + 1_500 + 3_000 });
    const { rows } = await db.query<{ postings: string; transactions: string }>(
      `select (select count(*) from pure_rewards_g1.ledger_posting) as postings,
         (select count(distinct xmin::text) from pure_rewards_g1.ledger_entry) as transactions`,
    );
    expect(rows[0]).to.deep.equal({ postings: '1500', transactions: '2' });
  });
});
