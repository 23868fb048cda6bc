import { createLogger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import type pg from 'pg';
import { replayMigrations } from '../app.ts';
import { insertJob } from './job-rows.ts';
import type { Change } from '../domain/change.ts';
import { type ChangePlace, insertChanges, pageChanges } from './change-rows.ts';

const jobId = '019a7c1e-0000-7000-8000-000000000001';

describe('changes of a preview', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let pool: pg.Pool;

  before(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema: 'replay', poolSize: 2 };
    const logger = createLogger({ service: 'test', level: 'silent' });
    await migrate({ settings, schema: 'replay', sets: [replayMigrations], logger });
    pool = createPool(settings, { searchPath: ['replay'], applicationName: 'test', logger });
    await insertJob(pool, { jobId, kind: 'preview', params: {}, by: 'me' });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  it('come by their size as a number, each on one page only', async () => {
    const credits = [9, -10, 100, -100, 25, 9, 2, 1_000];
    const changes = credits.map((after, i) => changed(`r-${i}`, BigInt(after) * 1_000_000n));
    await inTransaction(pool, (tx) => insertChanges(tx, jobId, changes));
    const reported: string[] = [];
    let after: ChangePlace | undefined;
    for (;;) {
      const page = await pageChanges(pool, jobId, {}, { after, limit: 3 });
      reported.push(...page.map((change) => change.after));
      after = page.at(-1);
      if (after === undefined) break;
    }
    expect(reported).to.deep.equal(['1000', '100', '-100', '25', '-10', '9', '9', '2']);
  });
});

function changed(rewardId: string, after: bigint): Change {
  return {
    ...{ kind: 'new', toReview: false, tenantId: 'acme', rewardId, recipientId: 'ada' },
    ...{ campaignId: 'spring', ruleId: 'share', recipientRole: 'referrer', month: '2026-02' },
    ...{ before: 0n, after },
  };
}
