import { sampleOf } from '@tributary/http/testing/samples';
import { purchaseDecision, revisionOf } from '@tributary/rewards-fold/testing/records';
import type { Logger } from '@tributary/runtime/logger';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { readLedgerCheck } from '../db/ledger-check.ts';
import { registerLedgerCheck } from '../metrics.ts';
import { type Parts, startParts } from '../testing/parts.ts';
import { createLedgerCheck } from './ledger-check.ts';

describe('the check of the ledger', () => {
  let database: TestDatabase;
  let parts: Parts;
  let live = true;
  const alerts: object[] = [];
  const logger = {
    error: (message: string, context: object) => alerts.push({ message, ...context }),
    warn: () => undefined,
  } as unknown as Logger;
  const isLive = () => live;
  const checkOf = () => createLedgerCheck({ pool: parts.pool, logger, isLive });

  before(async () => {
    database = await createDatabase();
    parts = await startParts({ url: database.url });
    await parts.publish(revisionOf());
    for (const n of [1, 2, 3]) await parts.decide(purchaseDecision(n, { referrerId: `r${n}` }));
    const moved = purchaseDecision(4, { referrerId: 'r1' });
    await parts.decide(moved);
    await parts.releaseAll();
    await parts.decide({ ...moved, version: 2, referrerId: 'r2' });
    await parts.releaseAll();
  });

  beforeEach(async () => {
    live = true;
    alerts.length = 0;
    await parts.pool.query(
      `update ledger_check set checked_at = null, begun_at = null, took = '0', unbalanced = 0`,
    );
  });

  after(async () => {
    await parts.stop();
    await database.drop();
  });

  /** Changes something, checks, and undoes the change. */
  async function unbalancedAfter(change: string, undo: string): Promise<number> {
    await parts.pool.query(change);
    await checkOf().check();
    await parts.pool.query(undo);
    return (await readLedgerCheck(parts.pool)).unbalanced;
  }

  it('finds nothing where books were only kept by folds and releases', async () => {
    await checkOf().check();
    const { unbalanced, checkedAtSeconds } = await readLedgerCheck(parts.pool);
    expect(unbalanced).to.equal(0);
    expect(checkedAtSeconds).to.be.within(Date.now() / 1_000 - 300, Date.now() / 1_000 + 300);
    expect(alerts).to.deep.equal([]);
  });

  for (const [what, change, undo] of [
    ['a total', 'entitled = entitled + 1', 'entitled = entitled - 1'],
    ['what was issued', 'issued = issued - 1', 'issued = issued + 1'],
  ] as const) {
    it(`finds ${what} that something else than a fold has changed`, async () => {
      const set = (text: string) => `update recipient set ${text} where recipient_id = 'r3'`;
      expect(await unbalancedAfter(set(change), set(undo))).to.equal(1);
      expect(alerts).to.deep.equal([
        {
          message: 'alert: the ledger is not balanced; see docs/runbooks/ledger.md',
          ...{ recipients: 1, tenantIds: [purchaseDecision(1).tenantId] },
        },
      ]);
    });
  }

  it('finds postings that lack, of each recipient who has some', async () => {
    const trigger = (how: string) =>
      `alter table posting ${how} trigger ledger_posting_append_only`;
    const change = `${trigger('disable')};
      create temp table lost as select * from posting where recipient_id in ('r1', 'r2');
      delete from posting where recipient_id in ('r1', 'r2')`;
    // One connection, as the table is of the session.
    const tx = await parts.pool.connect();
    try {
      await tx.query(change);
      await checkOf().check();
      await tx.query(
        `insert into posting select * from lost; drop table lost; ${trigger('enable')}`,
      );
    } finally {
      tx.release();
    }
    expect((await readLedgerCheck(parts.pool)).unbalanced).to.equal(2);
    await parts.checkBooks();
  });

  it('is made by one process at a time, and again an hour later', async () => {
    await Promise.all([checkOf().check(), checkOf().check()]);
    const first = await readLedgerCheck(parts.pool);
    await checkOf().check();
    expect(await readLedgerCheck(parts.pool)).to.deep.equal(first);
    await parts.pool.query(`update ledger_check set begun_at = now() - interval '61 minutes'`);
    await checkOf().check();
    expect((await readLedgerCheck(parts.pool)).checkedAtSeconds).to.be.at.least(
      first.checkedAtSeconds,
    );
  });

  it('waits longer where it takes long', async () => {
    await parts.pool.query(
      `update ledger_check set begun_at = now() - interval '61 minutes', took = '37 seconds'`,
    );
    const before = await readLedgerCheck(parts.pool);
    await checkOf().check();
    expect(await readLedgerCheck(parts.pool)).to.deep.equal(before);
  });

  it('is not tried again at once where it comes to no end', async () => {
    const blocker = await parts.pool.connect();
    try {
      await blocker.query('begin; lock table posting in access exclusive mode');
      const begun = checkOf();
      const failed = begun.check().then(
        () => undefined,
        (error: unknown) => error,
      );
      await eventually(async () => {
        const { rowCount } = await parts.pool.query(
          `select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'
             and query like 'select tenant_id as "tenantId", count%'
             and datname = current_database()`,
        );
        expect(rowCount).to.equal(1);
      });
      expect(await failed).to.be.instanceOf(Error);
      // It would wait for the lock.
      await checkOf().check();
      const { rows } = await parts.pool.query(
        `select checked_at, begun_at > now() - interval '5 minutes' as begun, took::text
         from ledger_check`,
      );
      expect(rows).to.deep.equal([{ checked_at: null, begun: true, took: '00:05:00' }]);
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
  });

  it('is not made in a generation that is not live, which has no such lines', async () => {
    live = false;
    await checkOf().check();
    expect((await readLedgerCheck(parts.pool)).checkedAtSeconds).to.equal(0);
    const registry = new Registry();
    registerLedgerCheck(registry, async () => (live ? readLedgerCheck(parts.pool) : undefined));
    const name = 'tributary_rewards_ledger_checked_timestamp_seconds';
    expect(sampleOf(await registry.metrics(), name)).to.equal(undefined);
    live = true;
    expect(sampleOf(await registry.metrics(), name)).to.equal(0);
  });

  it('does not keep a process from stopping', async () => {
    const blocker = await parts.pool.connect();
    const worker = checkOf();
    try {
      await blocker.query('begin; lock table posting in access exclusive mode');
      void worker.start?.();
      await eventually(async () => {
        const { rows } = await parts.pool.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock'
             and query like 'select tenant_id as "tenantId", count%' and datname = current_database()`,
        );
        expect(rows).to.have.length(1);
      });
      await worker.stop?.();
      expect((await blocker.query('select checked_at from ledger_check')).rows).to.deep.equal([
        { checked_at: null },
      ]);
    } finally {
      await blocker.query('rollback');
      blocker.release();
      await worker.stop?.();
    }
  });
});
