import { setTimeout as delay } from 'node:timers/promises';
import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import type { EventRecord } from '@tributary/contracts/event-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { readPositions } from '../positions.ts';
import { findWrongBooks } from './books.ts';
import { codeOf, purchase, refund, revisionOf, signup, tenantOf } from './records.ts';
import { type Chain, startChain } from './start-chain.ts';

/**
 * Two processes of rewards, to which a third comes and goes while events flow: every two or three
 * seconds partitions change hands, and workers release the same few recipients.
 */
const tenantId = 't1';
const campaignId = 'c1';
const perSecond = 100;
const rebalances = 6;
const referrers = 5;

describe('two rewards workers and a rebalance every few seconds', function () {
  this.timeout(150_000);
  let chain: Chain;
  const events: EventRecord[] = [];

  before(async () => {
    chain = await startChain({ rewards: 2 });
    await chain.topics.append([tenantOf({ tenantId }), revision(), ...codes()]);
    await chain.drained();
    const happening = { over: false };
    const coming = comeAndGo().finally(() => (happening.over = true));
    await Promise.all([flowUntil(happening), coming]);
    await chain.drained();
  });

  async function comeAndGo(): Promise<void> {
    for (let n = 0; n < rebalances; n++) {
      const before = await lowestEpoch();
      await chain.rewards.scale(n % 2 === 0 ? 3 : 2);
      // Else one that is ready leaves before the group has given it anything.
      await eventually(async () => expect(await lowestEpoch()).to.be.greaterThan(before), {
        deadlineMs: 30_000,
      });
    }
  }

  async function epochs(): Promise<number[]> {
    const positions = await readPositions(chain.db, 'rewards_g1');
    return positions
      .filter(({ partition }) => partition.includes('attributions'))
      .map(({ epoch }) => epoch);
  }

  const lowestEpoch = async () => Math.min(...(await epochs()));

  after(() => chain?.stop());

  async function flowUntil(happening: { over: boolean }): Promise<void> {
    const startedAt = performance.now();
    while (!happening.over) {
      const part = Array.from({ length: 10 }, (_, i) => makeEvent(events.length + i));
      await chain.topics.append(part);
      events.push(...part);
      const dueIn = startedAt + (events.length / perSecond) * 1_000 - performance.now();
      if (dueIn > 1) await delay(dueIn);
    }
  }

  it('assigned every partition anew, again and again', async () => {
    const all = await epochs();
    expect(all).to.have.length(12);
    expect(Math.min(...all)).to.be.at.least(rebalances);
  });

  it('entitled everyone to exactly what the facts say', async () => {
    const { rows } = await chain.db.query<{ rewards: number; entitled: string }>(
      `select count(*) filter (where entitled > 0)::int as rewards,
              trim_scale(sum(entitled))::text as entitled from rewards_g1.entitlement`,
    );
    const of = (type: EventRecord['eventType']) =>
      events.filter(({ eventType }) => eventType === type).length;
    const [signups, purchases, refunds] = [
      of('signup-created'),
      of('purchase-created'),
      of('purchase-refunded'),
    ];
    expect(rows[0]).to.deep.equal({
      rewards: signups + purchases - refunds,
      entitled: String(signups * 2 + (purchases - refunds) * 10),
    });
  });

  it('has no ledger entry twice: all sums hold, and each cause is there once', async () => {
    expect(await findWrongBooks(chain.db)).to.deep.equal([]);
    // No rule here looks back, so a reward changes with its own decision alone.
    const { rows } = await chain.db.query(
      `select reward_id, decision_id, decision_version, count(*) from rewards_g1.ledger_posting
       where decision_id is not null group by 1, 2, 3 having count(*) > 1`,
    );
    expect(rows).to.deep.equal([]);
  });

  it('issued each reward once, in the tables and on the log', async () => {
    const { rows } = await chain.db.query<{ reward: string; times: number }>(
      `select reward_id as reward, count(*)::int as times
       from issuance.issuance group by 1 having count(*) > 1`,
    );
    expect(rows).to.deep.equal([]);
    const onLog = new Map<string, Set<string>>();
    for (const fact of await chain.topics.read('issuances', issuanceCodec)) {
      if (fact.type !== 'issued') continue;
      onLog.set(fact.rewardId, (onLog.get(fact.rewardId) ?? new Set()).add(fact.issuanceId));
    }
    expect([...onLog.values()].filter((ids) => ids.size > 1)).to.deep.equal([]);
    expect(onLog.size).to.be.greaterThan(events.length / 2);
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => chain.recovered());
});

/** Out of ten: two signups, seven purchases, one full refund of the purchase before it. */
function makeEvent(n: number): EventRecord {
  const user = Math.floor(n / 10);
  const details = {
    n,
    tenantId,
    userId: `user-${user}-${n % 10 === 0 ? 'a' : 'b'}`,
    ucc: uccOf(user % referrers),
    occurredAt: new Date(Date.UTC(2026, 2, 1) + n * 1_000).toISOString(),
  };
  if (n % 10 < 2) return signup(details);
  const payment = { invoiceId: `inv-${n}`, currency: 'EUR', amount: 4_900 };
  if (n % 10 === 9)
    return refund({ ...details, payment: { ...payment, invoiceId: `inv-${n - 1}` } });
  return purchase({ ...details, payment });
}

function uccOf(referrer: number): string {
  return `Rebalance0${referrer}`;
}

function codes() {
  return Array.from({ length: referrers }, (_, referrer) =>
    codeOf({ tenantId, ucc: uccOf(referrer), campaignId, productUserId: `referrer-${referrer}` }),
  );
}

function revision() {
  const rule = (
    ruleId: string,
    trigger: CampaignRule['trigger'],
    credits: string,
  ): CampaignRule => ({
    ...{ ruleId, trigger, recipient: 'referrer', effect: { kind: 'fixed', credits } },
  });
  return revisionOf({
    ...{ tenantId, campaignId },
    rules: [rule('signup', 'signup-created', '2'), rule('purchase', 'purchase-created', '10')],
  });
}
