import { createLogger } from '@tributary/runtime/logger';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import type pg from 'pg';
import { createClockCheck, type Skews } from './clock-check.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const dayMs = 86_400_000;

describe("the database's clock", () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  before(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema: 'public', poolSize: 2 };
    pool = createPool(settings, { applicationName: 'test', logger });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  /** As after an append that the brokers have just stamped so. */
  async function look(stampedAt?: Date) {
    const compared: Skews[] = [];
    const sent = { sentMs: performance.now() - 60, sentAt: new Date(Date.now() - 60) };
    const timeOf = createClockCheck({
      logTime: () => stampedAt && { at: stampedAt, ...sent, looseMs: 10 },
      onCompared: (skews) => compared.push(skews),
    });
    const time = await inTransaction(pool, timeOf);
    return { ...time, skews: compared[0]! };
  }

  it('is the time when the others agree, or when nothing was appended yet', async () => {
    for (const stampedAt of [undefined, new Date(Date.now() - 50)]) {
      const { now, differ, skews } = await look(stampedAt);
      expect(differ).to.equal(undefined);
      expect(skews.differ).to.equal(false);
      expect(Math.abs(now.getTime() - Date.now())).to.be.below(20_000);
    }
  });

  it("is not trusted when the brokers' is another one", async () => {
    const behind = await look(new Date(Date.now() + 15 * dayMs));
    expect(behind.differ).to.equal("the database's clock is 15 days behind the brokers'");
    const ahead = await look(new Date(Date.now() - 3 * 3_600_000));
    expect(ahead.differ).to.equal("the database's clock is 3 hours ahead of the brokers'");
    expect(ahead.skews).to.deep.include({ process: 0, differ: true });
    expect(ahead.skews.log).to.be.within(3 * 3_600_000 - 1_000, 3 * 3_600_000 + 60_000);
  });
});
