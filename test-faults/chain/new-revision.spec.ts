import { setTimeout as delay } from 'node:timers/promises';
import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import { compareCanonical } from '@tributary/contracts/canonical-order';
import type { EventRecord } from '@tributary/contracts/event-record';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { findWrongBooks } from './books.ts';
import { readDecisions } from './current-state.ts';
import { createRandom } from './random.ts';
import { codeOf, purchase, revisionOf, tenantOf } from './records.ts';
import { type Chain, startChain } from './start-chain.ts';

/**
 * A revision of the campaign comes in the middle of a stream of purchases that occurred before and
 * after it holds. Each is decided by the revision of its own time, whether it came before the
 * revision or after it; and earns what that revision gives.
 */
const tenantId = 't1';
const campaignId = 'c1';
const effectiveFrom = '2026-03-15T12:00:00.000Z';
const count = 900;

describe('a revision that comes while events flow', function () {
  this.timeout(120_000);
  let chain: Chain;
  const events = makeEvents();
  const arriving = createRandom(3).shuffle(events);
  const [before_, after_] = [arriving.slice(0, count / 2), arriving.slice(count / 2)];

  before(async () => {
    chain = await startChain();
    const { topics } = chain;
    await topics.append([tenantOf({ tenantId }), revision(1)]);
    await topics.append([
      codeOf({ tenantId, ucc: 'Revision001', campaignId, productUserId: 'anna' }),
    ]);
    await chain.drained();
    await flow(before_.slice(0, -100));
    // By the first revision, as nobody knows of the second.
    await eventually(async () => expect(await decidedSoFar()).to.be.at.least(count / 4), {
      deadlineMs: 30_000,
    });
    // In the middle of the flow: neither side waits for the other.
    const flowing = flow(before_.slice(-100));
    await topics.append([revision(2)]);
    await flowing;
    await flow(after_);
    await chain.drained();
  });

  after(() => chain?.stop());

  async function flow(part: readonly EventRecord[]): Promise<void> {
    for (let from = 0; from < part.length; from += 20) {
      await chain.topics.append(part.slice(from, from + 20));
      await delay(10);
    }
  }

  async function decidedSoFar(): Promise<number> {
    const { rows } = await chain.db.query<{ count: number }>(
      'select count(*)::int as count from attribution_g1.fact',
    );
    return rows[0]!.count;
  }

  async function revisionsOf(part: readonly EventRecord[]): Promise<Map<string, number>> {
    const ids = new Set(part.map(({ eventId }) => eventId));
    const decisions = await readDecisions(chain.db, chain.topics);
    return new Map(
      decisions
        .filter(({ eventId, outcome }) => ids.has(eventId) && outcome === 'attributed')
        .map(({ eventId, campaignRevision }) => [eventId, campaignRevision!]),
    );
  }

  for (const [what, part] of [
    ['came before it', before_],
    ['came after it', after_],
  ] as const) {
    it(`decides events that ${what} by the revision of their occurredAt`, async () => {
      const decided = await revisionsOf(part);
      const wrong = part.filter((event) => decided.get(event.eventId) !== expectedRevision(event));
      expect(wrong.map(({ eventId, occurredAt }) => ({ eventId, occurredAt }))).to.deep.equal([]);
      // Both kinds occur, and one at the very moment: the revision holds from it on.
      expect(new Set(part.map(expectedRevision)).size).to.equal(2);
      expect(part.filter(({ occurredAt }) => occurredAt === effectiveFrom)).to.not.have.length(0);
    });
  }

  it('decides some of those that came before it twice: they were decided by the first', async () => {
    const { rows } = await chain.db.query<{ count: number }>(
      'select count(*)::int as count from attribution_g1.fact where version > 1',
    );
    expect(rows[0]!.count).to.be.greaterThan(50);
  });

  it('gives each the credits of its revision, and no more than once', async () => {
    const { rows } = await chain.db.query<{ event: string; entitled: number }>(
      `select event_id as event, sum(entitled)::int as entitled
       from rewards_g1.entitlement group by 1`,
    );
    const entitled = new Map(rows.map((row) => [row.event, row.entitled]));
    const wrong = events.filter(
      (event) => entitled.get(event.eventId) !== creditsOf(expectedRevision(event)),
    );
    expect(wrong.map(({ eventId }) => eventId)).to.deep.equal([]);
    expect(entitled.size).to.equal(count);
    expect(await findWrongBooks(chain.db)).to.deep.equal([]);
  });
});

function expectedRevision({ occurredAtSeconds, receivedAt, eventId }: EventRecord): number {
  const from = String(Date.parse(effectiveFrom) / 1_000);
  return compareCanonical(
    { occurredAtSeconds, receivedAt, eventId },
    { occurredAtSeconds: from, receivedAt, eventId },
  ) < 0
    ? 1
    : 2;
}

const creditsOf = (revision: number) => revision * 10;

function revision(number: 1 | 2) {
  const rule: CampaignRule = {
    ruleId: 'purchase',
    trigger: 'purchase-created',
    recipient: 'referrer',
    effect: { kind: 'fixed', credits: String(creditsOf(number)) },
    holdDays: 3_650,
  };
  return revisionOf({
    ...{ tenantId, campaignId, revision: number, rules: [rule] },
    ...(number === 2 && { effectiveFrom }),
  });
}

/** Around the moment, a third of them within a second of it or at it. */
function makeEvents(): EventRecord[] {
  const random = createRandom(5);
  const moment = Date.parse(effectiveFrom);
  return Array.from({ length: count }, (_, n) => {
    const near = [-1_000, -1, 0, 1, 1_000][n % 15];
    const offMs = near ?? (random.below(20 * 86_400) - 10 * 86_400) * 1_000;
    return purchase({
      n,
      tenantId,
      userId: `user-${n % 300}`,
      ucc: 'Revision001',
      occurredAt: new Date(moment + offMs).toISOString(),
      payment: { invoiceId: `inv-${n}`, currency: 'EUR', amount: 4_900 },
    });
  });
}
