import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Arrival } from '../../packages/attribution-fold/src/testing/arbitraries.ts';
import {
  type Parts as Attribution,
  startParts as startAttribution,
} from '../../services/attribution/src/testing/parts.ts';
import {
  entitlementColumns,
  type EntitlementRow,
  fromRow,
} from '../../services/rewards/src/db/entitlement-row.ts';
import type { Entitlement } from '../../packages/rewards-fold/src/domain/entitlement.ts';
import { LookedTooEarly } from '../../packages/rewards-fold/src/domain/fold-changes.ts';
import {
  type Parts as Rewards,
  startParts as startRewards,
} from '../../services/rewards/src/testing/parts.ts';
import { arrivalsOf, shuffled } from './arrivals.ts';
import { compareDecisions } from './compare-decisions.ts';
import { compareRewards } from './compare-rewards.ts';
import { expectedDecisions } from './decisions.ts';
import { expectedRewards } from './rewards.ts';
import type { World } from './world.ts';
import { worlds } from './worlds.ts';

// Many worlds at once, each with tenants of its own, through the transactions of two processes of
// either service over one database: statements, locks and races, where the rest of this folder has
// maps and one process.

describe('attribution and rewards on Postgres', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let attribution: Attribution[];
  let rewards: Rewards[];

  before(async () => {
    database = await createDatabase();
    const { url } = database;
    attribution = [await startAttribution({ url }), await startAttribution({ url })];
    const clock = { now: () => new Date(now) };
    rewards = [await startRewards({ url, clock }), await startRewards({ url, clock })];
  });

  after(async () => {
    for (const parts of [...attribution, ...rewards]) await parts.stop();
    await database.drop();
  });

  it('come to what the oracle says, two processes each, in any order', async () => {
    const all = sample(0);
    const published = shuffled(await decideAll(all), numbers[1]!);
    const revisions = shuffled(revisionsOf(all), numbers[2]!);
    await Promise.all([
      ...rewards.map((process, i) => decide(process, halfOf(published, i))),
      inSlices(revisions, 10, (slice) => rewards[1]!.publish(...slice)),
    ]);
    await rewards[0]!.sweep();
    await rewards[0]!.releaseAll();
    const stored = await expectRewards(all);
    // With nothing taken back before, each is issued in full or not at all.
    for (const { rewardId, ...reward } of stored.filter(({ entitled }) => entitled > 0n)) {
      const { reviews, maturesAt = now, entitled, state } = reward;
      const due = reviews.length === 0 && maturesAt <= now;
      expect(reward.issued, rewardId).to.equal(due ? entitled : 0n);
      expect(state, rewardId).to.equal(due ? 'issued' : reviews.length > 0 ? 'review' : 'held');
    }
  });

  it('come to the same with rewards issued on the way', async () => {
    const all = sample(1);
    // So that decisions say something at once, and move later.
    const isKnownBefore = ({ topic }: Arrival) => topic !== 'events';
    const published = shuffled(await decideAll(all, isKnownBefore), numbers[2]!);
    await rewards[0]!.publish(...revisionsOf(all));
    for (const part of [published.filter(({ version }) => version < 2), published]) {
      await Promise.all([
        ...rewards.map((process, i) => decide(process, halfOf(part, i))),
        rewards[0]!.releaseAll(),
      ]);
      await rewards[0]!.releaseAll();
    }
    await rewards[0]!.sweep();
    const stored = await expectRewards(all);
    expect(stored.filter((reward) => reward.issued > 0n)).to.not.have.length(0);
  });

  const numbers = fc.sample(fc.array(fc.nat(), { minLength: 997, maxLength: 997 }), 3);

  function sample(set: number): World[] {
    const some = (flavour: Parameters<typeof worlds>[0], numRuns: number) =>
      fc.sample(worlds(flavour), { seed: testSeed + set, numRuns });
    return [
      ...some({ attribution: 'tricky', rules: 'plain', events: 18 }, 50),
      ...some({ attribution: 'plain', rules: 'tricky', events: 18 }, 30),
    ].map((world, n) => withOwnTenants(world, set * 1_000 + n));
  }

  /** What was published on the way to the decisions that the oracle expects. */
  async function decideAll(
    all: readonly World[],
    isKnownBefore: (arrival: Arrival) => boolean = () => false,
  ): Promise<DecisionRecord[]> {
    const known = all.flatMap(arrivalsOf).filter(isKnownBefore);
    await receive(attribution[0]!, known);
    const arrivals = shuffled(all.flatMap(arrivalsOf), numbers[0]!);
    await Promise.all(attribution.map((process, i) => receive(process, halfOf(arrivals, i))));
    await attribution[0]!.sweep();
    const decisions = await attribution[0]!.current();
    for (const world of all) {
      const own = decisions.filter(isOf(world)).map((content) => ({ ...content, version: 1 }));
      compareDecisions(own, expectedDecisions(world));
    }
    const published = await attribution[0]!.outbox();
    return published.filter((decision) => all.some((world) => isOf(world)(decision)));
  }

  async function expectRewards(all: readonly World[]): Promise<Entitlement[]> {
    const { rows } = await rewards[0]!.pool.query<EntitlementRow>(
      `select ${entitlementColumns.join(', ')} from entitlement`,
    );
    const stored = rows.map(fromRow);
    for (const world of all) {
      compareRewards(stored.filter(isOf(world)), expectedRewards(world, expectedDecisions(world)));
    }
    await rewards[0]!.checkBooks();
    return stored.filter((reward) => all.some((world) => isOf(world)(reward)));
  }
});

/** The clock of the release workers. */
const now = '2026-03-01T12:00:00.000Z';

function revisionsOf(all: readonly World[]): World['revisions'] {
  return all.flatMap((world) => world.revisions);
}

/** Event ids are unique in a deployment; the order of those of one world stays. */
function withOwnTenants(world: World, n: number): World {
  const ofWorld = <R extends { tenantId: string }>(record: R): R => ({
    ...record,
    tenantId: `w${n}-${record.tenantId}`,
  });
  const prefix = n.toString(16).padStart(8, '0');
  return {
    events: world.events
      .map(ofWorld)
      .map((event) => ({ ...event, eventId: prefix + event.eventId.slice(8) })),
    codes: world.codes.map(ofWorld),
    tenants: world.tenants.map(ofWorld),
    revisions: world.revisions.map(ofWorld),
  };
}

function isOf(world: World) {
  const tenants = new Set(world.events.map((event) => event.tenantId));
  return ({ tenantId }: { tenantId: string }) => tenants.has(tenantId);
}

function halfOf<T>(all: readonly T[], half: number): T[] {
  return all.filter((_, i) => i % 2 === half);
}

async function receive(process: Attribution, arrivals: readonly Arrival[]): Promise<void> {
  await inSlices(arrivals, 30, async (slice) => {
    for (const topic of ['events', 'codes', 'catalog'] as const) {
      const records = slice.flatMap((a) => (a.topic === topic ? [a.record] : []));
      if (records.length > 0) await process.apply(topic, ...(records as never[]));
    }
  });
}

/** As the projection does: what another transaction was in the way of is tried again. */
async function decide(process: Rewards, decisions: Parameters<Rewards['decide']>): Promise<void> {
  await inSlices(decisions, 20, async (slice) => {
    for (;;) {
      try {
        return await process.decide(...slice);
      } catch (error) {
        if (!(error instanceof LookedTooEarly)) throw error;
      }
    }
  });
}

async function inSlices<T>(
  all: readonly T[],
  size: number,
  apply: (slice: T[]) => Promise<void>,
): Promise<void> {
  for (let i = 0; i < all.length; i += size) await apply(all.slice(i, i + size));
}
