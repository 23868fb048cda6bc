import { foldUser } from '@tributary/attribution-fold/fold-user';
import { purchase, signup } from '@tributary/attribution-fold/testing/records';
import { inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import { type Parts, startParts } from '../testing/parts.ts';

describe('deciding facts', () => {
  let database: TestDatabase;
  let parts: Parts | undefined;

  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    await parts?.stop();
    await database.drop();
  });

  it('writes nothing of a batch of which a fold has lost an event', async () => {
    parts = await startParts({
      url: database.url,
      fold: (facts, context) => foldUser(facts, context).slice(1),
    });
    const batch = [purchase(1), signup(2, { userId: 'other' })];
    const failure = await parts.apply('events', ...batch).catch((error: Error) => error.message);
    expect(failure).to.equal('2 new facts, but 0 decisions about them');
    const { rows } = await parts.pool.query('select from fact union all select from claim');
    expect(rows).to.deep.equal([]);
  });

  it('counts what it decided once that is committed', async () => {
    const counted: string[] = [];
    parts = await startParts({
      url: database.url,
      fold: () => {
        throw new Error('no fold');
      },
      metrics: {
        decided: (records) => counted.push(...records.map(({ outcome }) => outcome)),
        foldFailed: () => counted.push('failed'),
        timeBatch: () => () => undefined,
      },
    });
    const { applyIn, pool } = parts;
    const rolledBack = inTransaction(pool, async (tx) => {
      await applyIn(tx, 'events', [purchase(1)]);
      throw new Error('rolled back');
    });
    expect(await rolledBack.catch((error: Error) => error.message)).to.equal('rolled back');
    expect(counted).to.deep.equal([]);
    await parts.apply('events', purchase(1));
    expect(counted).to.deep.equal(['failed', 'undecided']);
  });
});
