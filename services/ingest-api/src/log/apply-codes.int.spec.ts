import { fileURLToPath } from 'node:url';
import type { CodeRecord } from '@tributary/contracts/code-record';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { createLogger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import type pg from 'pg';
import { findReferralCode, newestCodes } from '../db/referral-codes.ts';
import { applyCodes } from './apply-codes.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

function record(version: number, changes: Partial<CodeRecord> = {}): CodeRecord {
  return {
    schemaVersion: 1,
    type: 'code-issued',
    tenantId: 't1',
    ucc: 'u1',
    version,
    campaignId: 'c1',
    productUserId: 'ada',
    at: `2026-01-0${version}T00:00:00.000Z`,
    ...changes,
  };
}

describe('the projection of codes (4.5, 4.6)', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  before(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema: 'ingest', poolSize: 2 };
    const migrations = fileURLToPath(new URL('../../migrations', import.meta.url));
    const sets = [eventLogMigrations, { dir: migrations, table: 'migration' }];
    await migrate({ settings, schema: 'ingest', sets, logger });
    pool = createPool(settings, { applicationName: 'test', logger });
  });
  beforeEach(() => pool.query('truncate owned_code'));
  after(async () => {
    await pool?.end();
    await database?.drop();
  });

  async function apply(...records: CodeRecord[]): Promise<void> {
    const batch = records.map((value, i) => ({
      source: 'codes',
      topic: 'codes',
      partition: 0,
      offset: BigInt(i),
      key: value.ucc,
      timestampMs: 0,
      value,
    }));
    await inTransaction(pool, (tx) => applyCodes(tx, batch));
  }

  const now = new Date('2026-11-20T10:00:00.000Z');
  const issued = record(1);
  const disabled = record(2, { type: 'code-disabled' });
  const issuedAgain = record(3);

  it('ends the same in every order of the records, together or one by one, and repeated', async () => {
    for (const order of permutations([issued, disabled, issuedAgain])) {
      for (const records of [order, [...order, ...order]]) {
        for (const batches of [[records], records.map((one) => [one])]) {
          await pool.query('truncate owned_code');
          for (const batch of batches) await apply(...batch);
          const { rows } = await pool.query('select version, status, at from owned_code');
          expect(rows).to.deep.equal([{ version: 3, status: 'issued', at: issuedAgain.at }]);
        }
      }
    }
  });

  it('does not revive a disabled code by its issue that arrives late', async () => {
    await apply(disabled);
    await apply(issued);
    expect(await findReferralCode(pool, { tenantId: 't1', ucc: 'u1', now })).to.include({
      status: 'disabled',
    });
    expect(await newestCodes(pool, { tenantId: 't1', productUserId: 'ada', now })).to.deep.equal(
      [],
    );
  });

  it('keeps the first of two publications of one ucc (design 7)', async () => {
    await apply(issued, record(1, { productUserId: 'bob' }));
    await apply(record(1, { productUserId: 'cyd' }));
    expect(await findReferralCode(pool, { tenantId: 't1', ucc: 'u1', now })).to.include({
      productUserId: 'ada',
    });
  });

  it("finds a user's newest code of each campaign, and nobody else's", async () => {
    await apply(
      record(1, { ucc: 'old', at: '2026-01-01T00:00:00.000Z' }),
      record(1, { ucc: 'new', at: '2026-01-02T00:00:00.000Z' }),
      record(1, { ucc: 'other', campaignId: 'c2' }),
      record(2, { ucc: 'gone', campaignId: 'c3', type: 'code-disabled' }),
      record(1, { ucc: 'of bob', campaignId: 'c4', productUserId: 'bob' }),
      record(1, { ucc: 'of t2', campaignId: 'c5', tenantId: 't2' }),
    );
    const codes = await newestCodes(pool, { tenantId: 't1', productUserId: 'ada', now });
    expect(codes.map(({ ucc }) => ucc)).to.have.members(['new', 'other']);
  });

  it('takes a code that changes its owner from the one and gives it to the other', async () => {
    await apply(record(1));
    await apply(record(2, { productUserId: 'bob' }));
    expect(await newestCodes(pool, { tenantId: 't1', productUserId: 'ada', now })).to.deep.equal(
      [],
    );
    expect(await newestCodes(pool, { tenantId: 't1', productUserId: 'bob', now })).to.have.length(
      1,
    );
  });

  it('takes ids and times that no clock has shown, at their longest', async () => {
    const long = '🦊'.repeat(255);
    const at = '9999-99-99T99:99:99.999Z';
    await apply(record(1, { ucc: long, productUserId: long, campaignId: long, at }));
    expect(await newestCodes(pool, { tenantId: 't1', productUserId: long, now })).to.deep.equal([
      { ucc: long, campaignId: long, issuedAt: at },
    ]);
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => {
    const others = [...items.slice(0, i), ...items.slice(i + 1)];
    return permutations(others).map((rest) => [item, ...rest]);
  });
}
