import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { migrate } from '@tributary/runtime/migrate';
import { silentLogger } from '@tributary/event-log/testing';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import type pg from 'pg';
import { decisionOn, onLog, type OnLog, purchase, rewardFor } from '../../testing/scenario.ts';
import { applyBatch } from './apply-batch.ts';
import { readModelPlan } from './plan.ts';

describe('read model: what an event takes', function () {
  this.timeout(60_000);
  const schema = 'read_model';
  const events = 3_000;
  const batch = 250;
  let database: TestDatabase;
  let pool: pg.Pool;

  before(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema, poolSize: 2 };
    const sets = [readModelPlan.migrations];
    await migrate({ settings, schema, sets, logger: silentLogger });
    pool = createPool(settings, { applicationName: 'test', logger: silentLogger });
    for (let from = 0; from < events; from += batch) {
      const bought = Array.from({ length: batch }, (_, i) =>
        purchase(from + i, { userId: `user-${(from + i) % 300}`, invoiceId: `inv-${from + i}` }),
      );
      const decisions = bought.map((event) => decisionOn(event));
      await apply(bought.map(onLog.event));
      await apply(decisions.map(onLog.decision));
      await apply(decisions.map((decision) => onLog.reward(rewardFor(decision))));
    }
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  it('is at most 1,800 bytes in tables and indexes, with its decision and a reward', async () => {
    const { rows } = await pool.query<{ bytes: string }>(
      `select sum(pg_total_relation_size(format('%I.%I', schemaname, tablename))) as bytes
       from pg_tables where schemaname = $1`,
      [schema],
    );
    expect(Number(rows[0]?.bytes) / events).to.be.below(1_800);
  });

  it('is one row of each, written once', async () => {
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query<{ table: string; inserted: string; updated: string }>(
      `select relname as table, n_tup_ins as inserted, n_tup_upd as updated
       from pg_stat_user_tables
       where schemaname = $1 and relname in ('event', 'decision', 'reward') order by 1`,
      [schema],
    );
    expect(rows).to.deep.equal(
      ['decision', 'event', 'reward'].map((table) => ({
        ...{ table, inserted: String(events), updated: '0' },
      })),
    );
  });

  async function apply(records: readonly OnLog[]): Promise<void> {
    const place = { partition: 0, offset: 0n, timestampMs: 1_772_000_000_000 };
    await inTransaction(pool, (tx) =>
      applyBatch(
        tx,
        records.map(({ topic, key, decoded }) => ({
          ...{ ...place, source: topic, topic, key },
          value: decoded,
        })),
      ),
    );
  }
});
