import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import { readPages } from './read-pages.ts';
import { inSnapshot } from './snapshot.ts';

describe('pages of a snapshot', () => {
  let database: TestDatabase;
  let writer: pg.Client;

  before(async () => {
    database = await createDatabase();
    writer = new pg.Client({ connectionString: database.url });
    await writer.connect();
    await writer.query('create schema own');
    await writer.query('create table own.item (n bigint, told json, nothing text)');
    await writer.query(
      `insert into own.item select n, '{"a": 1.50}', null from generate_series(1, 2500) as n`,
    );
  });
  after(async () => {
    await writer.end();
    await database.drop();
  });

  const snapshot = <T>(read: (tx: pg.Client) => AsyncIterable<T>) =>
    inSnapshot({ url: database.url, searchPath: ['own'], applicationName: 'test' }, read);

  it('gives all rows as text, page by page, of one moment', async () => {
    const sizes: number[] = [];
    const pages = snapshot(async function* (tx) {
      const { rows } = await tx.query('select count(*) as count from item');
      expect(rows).to.deep.equal([{ count: '2500' }]);
      yield* readPages(tx, { text: 'select * from item where n > $1 order by n', values: [0] });
    });
    for await (const rows of pages) {
      if (sizes.length === 0) {
        expect(rows[0]).to.deep.equal(['1', '{"a": 1.50}', null]);
        await writer.query('delete from own.item where n > 2400');
      }
      sizes.push(rows.length);
    }
    expect(sizes).to.deep.equal([1_000, 1_000, 500]);
  });

  it('may be left early, and throws what the query throws', async () => {
    for await (const rows of snapshot((tx) => readPages(tx, { text: 'select n from item' }, 10))) {
      expect(rows).to.have.length(10);
      break;
    }
    // The server notices a moment later that the connection was closed.
    await eventually(async () => {
      const { rows } = await writer.query<{ count: string }>(
        `select count(*) as count from pg_stat_activity
         where application_name = 'test' and datname = current_database()`,
      );
      expect(rows[0]).to.deep.equal({ count: '0' });
    });
    const failing = snapshot((tx) => readPages(tx, { text: 'select 1 / (n - 1) from item' }, 10));
    expect(await failing.next().catch((error: Error) => error.message)).to.include('zero');
  });
});
