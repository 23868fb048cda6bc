import { expect } from 'chai';
import { findWrongBooks } from './books.ts';
import { readDecisions } from './current-state.ts';
import { codeOf, purchase, purchaseRevisions, tenantOf } from './records.ts';
import { type Chain, startChain } from './start-chain.ts';

/**
 * A caller's clock, or a mistake, dates a purchase in 2090. It is accepted with a warning and
 * processed like any other (interface 2.7): once, by the revision that was in force when it came.
 */
const tenantId = 't1';
const campaignId = 'c1';
const revision = purchaseRevisions({ tenantId, campaignId });
const ucc = 'Future00001';
const receivedAt = '2026-05-01T12:00:00.000Z';

describe('a purchase that is dated in the future', function () {
  this.timeout(120_000);
  let chain: Chain;

  before(async () => {
    chain = await startChain();
    await chain.topics.append([
      tenantOf({ tenantId }),
      revision(1, '10'),
      codeOf({ tenantId, ucc, campaignId, productUserId: 'anna' }),
    ]);
    await chain.drained();
    await chain.topics.append([
      purchase({
        ...{ n: 1, tenantId, userId: 'u1', ucc, receivedAt, occurredAt: '2090-01-01T00:00:00Z' },
        payment: { invoiceId: 'inv-1', currency: 'EUR', amount: 4_900 },
      }),
    ]);
    await chain.drained();
  });

  after(() => chain?.stop());

  async function anna() {
    const { rows } = await chain.db.query<{ issued: number; owed: number }>(
      `select coalesce(sum(credits) filter (where account = 'issued'), 0)::int as issued,
         coalesce(sum(credits) filter (where account = 'owed'), 0)::int as owed
       from rewards_g1.ledger_posting join rewards_g1.ledger_entry using (posting_id)
       where recipient_id = 'anna'`,
    );
    return rows[0]!;
  }

  it('keeps what it earned when the campaign gets another revision afterwards', async () => {
    expect(await anna()).to.deep.equal({ issued: 10, owed: 0 });
    await chain.topics.append([revision(2, '3', '2026-06-01T00:00:00.000Z')]);
    await chain.drained();
    expect(await anna()).to.deep.equal({ issued: 10, owed: 0 });
    expect(await findWrongBooks(chain.db)).to.deep.equal([]);
  });

  it('says that it was decided by what was in force when it was received', async () => {
    const [record] = await readDecisions(chain.db, chain.topics);
    expect(record).to.include({ campaignRevision: 1 });
    expect(record!.tests.find(({ test }) => test === 'campaign running')?.detail).to.equal(
      'revision 1 of the campaign, in effect from 2025-01-01T00:00:00.000Z, was running at ' +
        `${receivedAt}, when the event was received (it is dated later, 2090-01-01T00:00:00Z)`,
    );
  });
});
