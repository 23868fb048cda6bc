import { compareCanonical } from '@tributary/contracts/canonical-order';
import { eventually } from '@tributary/testkit/eventually';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import { findWrongBooks } from './books.ts';
import {
  type CurrentState,
  differences,
  hashOf,
  readDecisions,
  readPublished,
  readState,
} from './current-state.ts';
import { createRandom } from './random.ts';
import { type Chain, startChain } from './start-chain.ts';
import type { Fact } from './topics.ts';
import { makeWorld } from './world.ts';

/**
 * The same facts twice, through real brokers and databases: once in order (catalog, codes, events
 * by the canonical order), once shuffled, every tenth twice, with attribution and rewards killed in
 * the middle. Both must come to the same (design 4, promise 4).
 *
 * Compared: the current decision of each event with all that its digest covers (outcome, reason,
 * tests, flags, campaign and revision, referrer, duplicateOf, refundOf, reversals, reviews), and of
 * each entitlement above zero its id, business fact, rule, role, recipient, campaign and credits.
 * History, and not compared: versions, the ledger's postings, rewards that once were and are now
 * zero, what was issued when and under which netting. Of those it is asked that they add up.
 */
const eventCount = 5_000;

describe('facts in any order, with copies and kills', function () {
  this.timeout(240_000);
  const world = makeWorld(testSeed, eventCount);
  const chains: Chain[] = [];
  let sorted: Chain;
  let shuffled: Chain;
  let expected: CurrentState;

  before(async () => {
    sorted = await start();
    await appendSorted(sorted);
    await sorted.drained(90_000);
    expected = await readState(sorted.db);
    await Promise.all([sorted.attribution.stop(), sorted.rewards.stop()]);
    shuffled = await start();
    await appendShuffled(shuffled);
    await shuffled.drained(90_000);
  });

  after(async () => {
    for (const chain of chains) await chain.stop();
  });

  async function start(): Promise<Chain> {
    const chain = await startChain();
    chains.push(chain);
    return chain;
  }

  async function appendSorted({ topics, drained }: Chain): Promise<void> {
    const { catalog, codes, events } = world;
    await topics.append([...catalog, ...codes]);
    await drained();
    await topics.append(events.toSorted(compareCanonical));
  }

  async function appendShuffled(chain: Chain): Promise<void> {
    const { catalog, codes, events } = world;
    const random = createRandom(testSeed);
    const facts: Fact[] = [...catalog, ...codes, ...events];
    const copies = facts.filter(() => random.happens(0.1));
    const arriving = random.shuffle([...facts, ...copies]);
    const half = arriving.length / 2;
    await appendInSmallParts(chain, arriving.slice(0, half));
    const rewarded = await killInTheMiddle(chain);
    expect(rewarded, 'rewards when it was killed').to.be.greaterThan(0);
    await appendInSmallParts(chain, arriving.slice(half));
  }

  /** Topics are read side by side; small parts keep them in step. */
  async function appendInSmallParts({ topics }: Chain, facts: readonly Fact[]): Promise<void> {
    for (let from = 0; from < facts.length; from += 100) {
      await topics.append(facts.slice(from, from + 100));
    }
  }

  async function killInTheMiddle({ attribution, rewards, db }: Chain): Promise<number> {
    const count = async () => {
      const { rows } = await db.query<{ count: number }>(
        'select count(*)::int as count from rewards_g1.entitlement',
      );
      return rows[0]!.count;
    };
    await eventually(async () => expect(await count()).to.be.greaterThan(100), {
      deadlineMs: 60_000,
    });
    for (const { replicas } of [attribution, rewards]) {
      expect((await replicas[0]!.kill('SIGKILL')).signal).to.equal('SIGKILL');
    }
    const rewarded = await count();
    await Promise.all([attribution, rewards].map(({ replicas }) => replicas[0]!.restart()));
    return rewarded;
  }

  it('end in the same decisions and entitlements, hash for hash', async () => {
    const state = await readState(shuffled.db);
    expect(differences(state, expected)).to.deep.equal([]);
    expect(hashOf(state)).to.equal(hashOf(expected));
    expect(state.decisions.size).to.equal(eventCount);
  });

  it('are on the topics as they are in the tables', async () => {
    const { topics, db } = shuffled;
    expect(differences(await readPublished(topics), await readState(db))).to.deep.equal([]);
  });

  it('leave books that add up in both runs', async () => {
    for (const { db } of [sorted, shuffled]) expect(await findWrongBooks(db)).to.deep.equal([]);
  });

  it('met every outcome and reason often enough to tell', async () => {
    const seen = new Map<string, number>();
    for (const decision of await readDecisions(sorted.db, sorted.topics)) {
      const { outcome, reason = '', eventType } = decision;
      for (const name of [outcome, reason, eventType]) seen.set(name, (seen.get(name) ?? 0) + 1);
    }
    for (const name of [
      ...['attributed', 'not-attributed', 'waiting', 'purchase-refunded', 'demo-attended'],
      ...['unknown-code', 'code-disabled', 'self-referral', 'campaign-not-running'],
      ...['outside-window', 'existing-user', 'duplicate'],
    ]) {
      expect(seen.get(name) ?? 0, name).to.be.greaterThan(10);
    }
    expect(seen.get('undecided') ?? 0, 'undecided').to.equal(0);
    expect(expected.entitlements.size).to.be.greaterThan(500);
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => shuffled.recovered());

  it('came in an order that made both change their mind', async () => {
    const { rows } = await shuffled.db.query<{ decisions: number; rewards: number }>(
      `select (select count(*)::int from attribution_g1.fact where version > 1) as decisions,
              (select count(*)::int from rewards_g1.entitlement where entitled = 0) as rewards`,
    );
    expect(rows[0]!.decisions).to.be.greaterThan(eventCount / 10);
    expect(rows[0]!.rewards).to.be.greaterThan(20);
  });
});
