import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import pg from 'pg';
import { makeTwin, requireSameShape } from './twin-table.ts';

describe('the twin of a table', () => {
  let database: TestDatabase;
  let db: pg.Client;
  const posting = { schema: 'books', table: 'posting' };
  const entry = { schema: 'books', table: 'entry' };

  before(async () => {
    database = await createDatabase();
    db = new pg.Client({ connectionString: database.url });
    await db.connect();
    await db.query(`
      create schema books; set search_path to books;
      create table posting (posting_id bigint primary key, note text,
        loud text generated always as (upper(note)) stored) with (fillfactor = 50);
      create table entry (posting_id bigint not null references posting, account text,
        credits numeric check (credits <> 0), primary key (posting_id, account));
      create index on entry (account) where credits > 0;
      create function refuse() returns trigger language plpgsql as $$
        begin
          if (select sum(credits) from written) <> 0 then raise exception 'unbalanced'; end if;
          return null;
        end $$;
      create trigger balanced after insert on entry referencing new table as written
        for each statement execute function refuse();
      reset search_path`);
    await makeTwin(db, posting);
    await makeTwin(db, entry);
  });
  after(async () => {
    await db?.end();
    await database?.drop();
  });

  it('refuses what the original refuses: by its foreign key, to the twin of the other', async () => {
    await db.query(`insert into books.posting values (1)`);
    const insert = `insert into pure_books.entry values (1, 'a', 1), (1, 'b', -1)`;
    expect(await errorOf(insert)).to.contain('violates foreign key constraint');
    await db.query(`insert into pure_books.posting values (1)`);
    expect(await errorOf(insert)).to.equal('');
  });

  it('refuses what the original refuses: by its trigger', async () => {
    await db.query(`insert into pure_books.posting values (2)`);
    expect(await errorOf(`insert into pure_books.entry values (2, 'a', 1)`)).to.equal('unbalanced');
  });

  for (const [what, drop] of [
    ['trigger', 'drop trigger balanced on pure_books.entry'],
    ['foreign key', 'alter table pure_books.entry drop constraint entry_posting_id_fkey'],
    ['check', 'alter table pure_books.entry drop constraint entry_credits_check'],
    ['index', 'drop index pure_books.entry_account_idx'],
    ['fill factor', 'alter table pure_books.posting reset (fillfactor)'],
  ] as const) {
    it(`is not taken for the same without its ${what}`, async () => {
      await db.query('begin');
      await db.query(drop);
      const table = what === 'fill factor' ? posting : entry;
      const error = await requireSameShape(db, table).catch(({ message }: Error) => message);
      await db.query('rollback');
      expect(error).to.match(/^the twin of books\.\w+ lacks \[".+"\] and has \[\] of its own$/);
      await requireSameShape(db, table);
    });
  }

  const errorOf = (sql: string) =>
    db.query(sql).then(
      () => '',
      ({ message }: Error) => message,
    );
});
