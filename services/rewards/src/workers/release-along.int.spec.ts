import { purchaseDecision, revisionOf } from '@tributary/rewards-fold/testing/records';
import { inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { holdReleases } from '@tributary/generations/registry';
import { expect } from 'chai';
import { lockRecipients } from '../db/recipients.ts';
import { startParts } from '../testing/parts.ts';

describe('a release behind a fold', () => {
  let database: TestDatabase;
  const running: Awaited<ReturnType<typeof startParts>>[] = [];

  beforeEach(async () => {
    database = await createDatabase();
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((parts) => parts.stop()));
    await database.drop();
  });

  async function start(options: Partial<Parameters<typeof startParts>[0]> = {}) {
    const parts = await startParts({ url: database.url, ...options });
    running.push(parts);
    await parts.publish(revisionOf());
    return parts;
  }

  it('grants in the transaction that made it due, and tells both steps on the log', async () => {
    const parts = await start();
    await parts.decideAndRelease(purchaseDecision(1));
    expect(await parts.rewards('anna')).to.deep.equal(['10 issued 10']);
    const [fact, ...others] = await parts.issuances();
    expect(fact).to.include({ recipientId: 'anna', credits: '10' });
    expect(others).to.deep.equal([]);
    const { rows } = await parts.pool.query(
      'select record_count from outbox union all select record_count from issuance_outbox',
    );
    expect(rows).to.deep.equal([{ record_count: 1 }, { record_count: 1 }, { record_count: 1 }]);
    expect(parts.woken(), 'nothing is left to the worker').to.equal(0);
    await parts.decideAndRelease(purchaseDecision(1));
    expect(await parts.issuances(), 'read again').to.have.length(1);
  });

  it('is none where another generation is live', async () => {
    const parts = await start({ generation: 2 });
    await parts.decideAndRelease(purchaseDecision(1));
    expect(await parts.rewards('anna')).to.deep.equal(['10 held 0']);
    expect(await parts.issuances()).to.deep.equal([]);
    expect(parts.woken()).to.equal(1);
  });

  it('waits for no swap where another generation is live: that swap waits for what it folds', async () => {
    const parts = await start({ generation: 2 });
    const swap = await parts.pool.connect();
    await swap.query('begin');
    await holdReleases(swap);
    const over = Promise.all([
      parts.decideAndRelease(purchaseDecision(1)),
      // What the worker does between the batches, none of which goes on meanwhile.
      parts.releaseOnce(),
    ]);
    await eventually(async () =>
      expect(await parts.rewards('anna')).to.deep.equal(['10 held 0']),
    ).finally(() => swap.release(true));
    expect((await over)[1]).to.deep.equal({ outcome: 'not-live' });
  });

  it('is none on a database that went back in time', async () => {
    const parts = await start({ isIntact: () => Promise.resolve(false) });
    await parts.decideAndRelease(purchaseDecision(1));
    expect(await parts.rewards('anna')).to.deep.equal(['10 held 0']);
    expect(await parts.issuances()).to.deep.equal([]);
  });

  it('that fails takes the fold along once, which then goes without', async () => {
    const parts = await start({
      plan: () => {
        throw new Error('no plan');
      },
    });
    const failure = await parts
      .decideAndRelease(purchaseDecision(1))
      .catch((e: Error) => e.message);
    expect(failure).to.equal('no plan');
    expect(await parts.rewards('anna')).to.deep.equal([]);
    await parts.decideAndRelease(purchaseDecision(1));
    expect(await parts.rewards('anna')).to.deep.equal(['10 held 0']);
    expect(parts.woken(), 'the worker finds out who is to blame').to.equal(1);
  });

  it('waits for nobody whom others have locked', async () => {
    const parts = await start();
    await parts.decide(purchaseDecision(1));
    await inTransaction(parts.pool, async (tx) => {
      await lockRecipients(tx, [{ tenantId: 't1', recipientId: 'anna' }]);
      await parts.decideAndRelease(purchaseDecision(2, { referrerId: 'bert' }));
    });
    expect(await parts.rewards('bert')).to.deep.equal(['10 issued 10']);
    expect(await parts.rewards('anna')).to.deep.equal(['10 held 0']);
  });
});
