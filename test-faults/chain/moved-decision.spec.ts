import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import type { EventRecord } from '@tributary/contracts/event-record';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { findWrongBooks } from './books.ts';
import { readDecisions } from './current-state.ts';
import { codeOf, purchase, revisionOf, tenantOf } from './records.ts';
import { type Chain, startChain } from './start-chain.ts';
import type { Fact } from './topics.ts';
import { lastAssignment } from '../last-assignment.ts';

/**
 * Decisions that move from referrer A to B after A was rewarded, with the partitions of rewards in
 * two processes: nothing stays behind at A, everything is B's. Sixty users each, so that decisions
 * come through all partitions, to both processes, for the same two recipients.
 *
 * Rewards of campaign `held` wait for years; what moves there was never issued. Those of `paid` are
 * issued at once: what A got by then is a fact, and A owes it.
 */
const users = 60;
const credits = 10;
type Campaign = 'held' | 'paid';
type Move = { name: string; tenantId: string; campaign: Campaign };

const moves: readonly Move[] = [
  { name: 'late-code', tenantId: 't-first', campaign: 'held' },
  { name: 'earlier-fact', tenantId: 't-first', campaign: 'paid' },
  { name: 'other-source', tenantId: 't-event', campaign: 'held' },
  { name: 'other-source-paid', tenantId: 't-event', campaign: 'paid' },
];

describe('decisions that move from one referrer to another', function () {
  this.timeout(120_000);
  let chain: Chain;

  before(async () => {
    chain = await startChain({ attribution: 2, rewards: 2 });
    await chain.topics.append([...tenants(), ...moves.flatMap(codesOf)]);
    await chain.drained();
    await eventually(bothOwnPartitions, { deadlineMs: 30_000 });
    await chain.topics.append(moves.flatMap(firstFacts));
    await chain.drained();
  });

  after(() => chain?.stop());

  function bothOwnPartitions(): void {
    for (const replica of chain.rewards.replicas) {
      expect(lastAssignment(replica), replica.name).to.be.greaterThan(0);
    }
  }

  /** What a referrer is entitled to, was issued and still gets, by rewards and by the ledger. */
  async function creditsLeft(recipientId: string) {
    const { rows } = await chain.db.query<{
      rewards: number;
      entitled: number;
      booked: number;
      issued: number;
      owed: number;
    }>(
      `select
         (select count(*)::int from rewards_g1.entitlement
            where recipient_id = $1 and entitled > 0) as rewards,
         (select coalesce(sum(entitled), 0)::int from rewards_g1.entitlement
            where recipient_id = $1) as entitled,
         coalesce(-sum(credits) filter (where account = 'entitled'), 0)::int as booked,
         coalesce(sum(credits) filter (where account = 'issued'), 0)::int as issued,
         coalesce(sum(credits) filter (where account = 'owed'), 0)::int as owed
       from rewards_g1.ledger_posting join rewards_g1.ledger_entry using (posting_id)
       where recipient_id = $1`,
      [recipientId],
    );
    return rows[0]!;
  }

  const everything = { rewards: users, entitled: users * credits, booked: users * credits };
  const nothing = { rewards: 0, entitled: 0, booked: 0 };
  const paidAll = { issued: users * credits };

  it('begin with all of it at the first one', async () => {
    for (const move of moves) {
      expect(await creditsLeft(`${move.name}-A`), move.name).to.include(everything);
      expect(await creditsLeft(`${move.name}-B`), move.name).to.include(nothing);
    }
  });

  it('have rewards in two processes that both own partitions', () => bothOwnPartitions());

  it('leave nothing at the first and are all of the second, once the facts say so', async () => {
    await chain.topics.append(moves.flatMap(movingFacts));
    await chain.drained();
    for (const { name, campaign } of moves) {
      const [a, b] = [await creditsLeft(`${name}-A`), await creditsLeft(`${name}-B`)];
      expect(a, `${name}, A`).to.include(nothing);
      expect(b, `${name}, B`).to.include(everything);
      if (campaign === 'held') {
        expect([a.issued, a.owed, b.issued, b.owed], name).to.deep.equal([0, 0, 0, b.entitled]);
      } else {
        expect(a, `${name}, A`).to.include({ ...paidAll, owed: -users * credits });
        expect(b, `${name}, B`).to.include({ ...paidAll, owed: 0 });
      }
    }
    expect(await findWrongBooks(chain.db)).to.deep.equal([]);
  });

  it('name the second as referrer in every decision that moved', async () => {
    const moved = (await readDecisions(chain.db, chain.topics)).filter(
      ({ outcome, purchase }) => outcome === 'attributed' && purchase && purchase.amount !== 1,
    );
    const counts = Map.groupBy(
      moved,
      ({ newUserId, referrerId }) => `${newUserId.split('/')[0]} ${referrerId}`,
    );
    expect([...counts].map(([name, { length }]) => `${name} ${length}`)).to.have.members(
      moves.map(({ name }) => `${name} ${name}-B ${users}`),
    );
  });
});

function tenants() {
  return [...new Set(moves.map(({ tenantId }) => tenantId))].flatMap((tenantId) => [
    tenantOf({
      tenantId,
      attributionMode: tenantId === 't-first' ? 'first-code' : 'event-code',
    }),
    revisionOf({ tenantId, campaignId: 'held', rules: [rule({ holdDays: 3_650 })] }),
    revisionOf({ tenantId, campaignId: 'paid', rules: [rule({})] }),
  ]);
}

function rule(more: Partial<CampaignRule>): CampaignRule {
  return {
    ruleId: 'purchase',
    trigger: 'purchase-created',
    recipient: 'referrer',
    effect: { kind: 'fixed', credits: String(credits) },
    // A purchase of one cent is told only so that its code binds.
    conditions: { minimumAmounts: { EUR: 2 } },
    ...more,
  };
}

/**
 * Has the form of derived codes, which may come up to thirty days after a fact that carries them.
 */
function uccOf({ name }: Move, side: 'A' | 'B'): string {
  const number = moves.findIndex((move) => move.name === name);
  return `Move000000${number * 2 + (side === 'A' ? 0 : 1)}`;
}

function ownedCode(move: Move, side: 'A' | 'B') {
  const { tenantId, campaign, name } = move;
  // A day after the facts of the users, in time for them to be counted.
  const at = name === 'late-code' && side === 'B' ? '2026-03-03T00:00:00.000Z' : undefined;
  return codeOf({
    tenantId,
    ucc: uccOf(move, side),
    campaignId: campaign,
    productUserId: `${name}-${side}`,
    ...(at !== undefined && { at }),
  });
}

function codesOf(move: Move) {
  const all = [ownedCode(move, 'A'), ownedCode(move, 'B')];
  return move.name === 'late-code' ? all.slice(0, 1) : all;
}

const early = '2026-03-01T09:00:00Z';
const late = '2026-03-02T09:00:00Z';

/** Number of the event: move, user and which of the user's events. */
function factOf(
  move: Move,
  user: number,
  which: number,
  more: { side: 'A' | 'B'; at: string; amount: number; source?: 'v2' | 'legacy'; of?: string },
): EventRecord {
  const { name, tenantId } = move;
  const { side, at, amount, source = 'v2', of = `${name}-${user}-${which}` } = more;
  return purchase({
    n: (moves.indexOf(move) * users + user) * 10 + which,
    tenantId,
    userId: `${name}/${user}${of.endsWith('shared') ? side : ''}`,
    ucc: uccOf(move, side),
    source,
    occurredAt: at,
    payment: { invoiceId: of, currency: 'EUR', amount },
  });
}

function eachUser(facts: (user: number) => EventRecord[]): EventRecord[] {
  return Array.from({ length: users }, (_, user) => facts(user)).flat();
}

/** Everything is A's after these. */
function firstFacts(move: Move): EventRecord[] {
  switch (move.name) {
    case 'late-code':
      // The first code of each user is nobody's yet, so the second one binds.
      return eachUser((user) => [
        factOf(move, user, 1, { side: 'B', at: early, amount: 1 }),
        factOf(move, user, 2, { side: 'A', at: late, amount: 900 }),
      ]);
    case 'earlier-fact':
      return eachUser((user) => [factOf(move, user, 2, { side: 'A', at: late, amount: 900 })]);
    default:
      return eachUser((user) => [
        factOf(move, user, 1, {
          ...{ side: 'A', at: early, amount: 900, source: 'legacy' },
          of: `${move.name}-${user}-shared`,
        }),
      ]);
  }
}

/** Everything is B's after these. */
function movingFacts(move: Move): Fact[] {
  switch (move.name) {
    case 'late-code':
      return [ownedCode(move, 'B')];
    case 'earlier-fact':
      return eachUser((user) => [factOf(move, user, 1, { side: 'B', at: early, amount: 1 })]);
    default:
      // The same invoice, of another user, by the source that is believed first.
      return eachUser((user) => [
        factOf(move, user, 2, {
          ...{ side: 'B', at: late, amount: 900 },
          of: `${move.name}-${user}-shared`,
        }),
      ]);
  }
}
