import { expect } from 'chai';
import fc from 'fast-check';
import {
  createSettlementBook,
  rewardIdOf,
  type SettlementBook,
  type Target,
} from '../testing/settlement-book.ts';
import { heldOf, isBlocked, type Issuance, releaseAtOf } from './entitlement.ts';
import { settledBalance } from './recipient-change.ts';

const numRuns = 1_000;

const at = (hour: number) => new Date(Date.UTC(2026, 2, 1, hour)).toISOString();
const endOfTime = at(10_000);

const target: fc.Arbitrary<Target> = fc
  .record({
    n: fc.integer({ min: 1, max: 6 }),
    credits: fc.constantFrom('0', '0', '1', '2.5', '10', '10', '12.000001'),
    hold: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
    review: fc.integer({ min: 0, max: 3 }).map((x) => x === 0),
    campaignId: fc.constantFrom('c1', 'c1', 'c2'),
  })
  .map(({ n, credits, hold, review, campaignId }) => ({
    n,
    credits,
    campaignId,
    ...(hold !== undefined && { maturesAt: at(hold) }),
    ...(review && { reviews: ['revision-published-later' as const] }),
  }));

type Step =
  | { kind: 'fold'; targets: Target[] }
  | { kind: 'say'; n: number; type: 'released' | 'withheld' }
  | { kind: 'release'; hours: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('fold' as const),
        targets: fc.uniqueArray(target, { selector: ({ n }) => n, minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('say' as const),
        n: fc.integer({ min: 1, max: 6 }),
        type: fc.constantFrom('released' as const, 'withheld' as const),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('release' as const),
        hours: fc.integer({ min: 0, max: 30 }),
      }),
    },
  ),
  { minLength: 1, maxLength: 30 },
);

/** Plays the steps; `look` sees the book before and after each. */
function play(all: readonly Step[], look: (played: Played) => void = () => undefined) {
  const book = createSettlementBook();
  const folded = new Map<number, Target>();
  let hour = 0;
  for (const step of all) {
    const before = new Map(book.rewards);
    let issued: Issuance[] = [];
    switch (step.kind) {
      case 'fold':
        for (const target of step.targets) folded.set(target.n, target);
        book.fold(...step.targets);
        break;
      case 'say':
        book.act(step.n, step.type, at(hour));
        break;
      case 'release':
        hour += step.hours;
        issued = book.release(at(hour));
        break;
      default:
        step satisfies never;
    }
    look({ book, before, issued, now: at(hour) });
  }
  return { book, folded, now: at(hour) };
}

type Played = {
  book: SettlementBook;
  before: SettlementBook['rewards'];
  issued: readonly Issuance[];
  now: string;
};

describe('settlement, over any history', () => {
  it('keeps its books at every step, and no due release is missed (design 7)', () => {
    fc.assert(
      fc.property(steps, (all) => {
        play(all, ({ book }) => {
          checkBooks(book);
          const [due, exact] = [book.dueAt(), book.exactDueAt()];
          if (exact !== undefined) expect(due !== undefined && due <= exact).to.equal(true);
        });
      }),
      { numRuns },
    );
  });

  it('never pays before maturity, in review, withheld, or more than was ever entitled', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const most = new Map<string, bigint>();
        const facts = new Map<string, Issuance>();
        play(all, ({ book, before, issued, now }) => {
          for (const { rewardId, entitled } of book.rewards.values()) {
            if (entitled > (most.get(rewardId) ?? 0n)) most.set(rewardId, entitled);
          }
          for (const fact of issued) {
            const reward = before.get(fact.rewardId)!;
            const releaseAt = releaseAtOf(reward);
            const matured = releaseAt !== undefined && releaseAt <= now;
            const correction = reward.state === 'issued' && !isBlocked(reward);
            expect(matured || correction, `${reward.state} ${reward.maturesAt}`).to.equal(true);
            expect(fact.credits > 0n).to.equal(true);
          }
          for (const [issuanceId, fact] of facts) {
            const now = book.issuances().find((other) => other.issuanceId === issuanceId);
            expect(now).to.deep.equal(fact);
          }
          for (const fact of book.issuances()) facts.set(fact.issuanceId, { ...fact });
          for (const { rewardId, issued } of book.rewards.values()) {
            expect(issued <= (most.get(rewardId) ?? 0n)).to.equal(true);
          }
        });
      }),
      { numRuns },
    );
  });

  it('pays everything payable in the end, and nothing more', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { book } = play(all);
        book.release(endOfTime);
        checkBooks(book);
        expect([...book.rewards.values()].filter(({ state }) => state === 'held')).to.deep.equal(
          [],
        );
        expect(settledBalance(book.totals()) <= 0n).to.equal(true);
        expect(book.dueAt()).to.equal(undefined);
        expect(book.release(endOfTime)).to.deep.equal([]);
      }),
      { numRuns },
    );
  });

  it('comes to the same issued and owed from the same facts in any order, and sends nothing (promises 4 and 6)', () => {
    const order = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
      minLength: 200,
      maxLength: 200,
    });
    fc.assert(
      fc.property(steps, order, (all, ranks) => {
        const { book, folded, now } = play(all);
        book.release(now);
        const other = createSettlementBook();
        const read: (() => void)[] = [
          ...[...folded.values()].map((target) => () => void other.fold(target)),
          ...book.issuances().map((fact) => () => other.receive({ issuances: [fact, fact] })),
          ...book.actions().map((fact) => () => other.receive({ actions: [fact, fact] })),
        ];
        const shuffled = read
          .map((apply, i) => ({ apply, rank: ranks[i % ranks.length]! }))
          .sort((a, b) => a.rank - b.rank);
        for (const { apply } of shuffled) {
          apply();
          checkBooks(other);
        }
        expect(comparable(other)).to.deep.equal(comparable(book));
        expect(other.release(now)).to.deep.equal([]);
        expect(comparable(other)).to.deep.equal(comparable(book));
      }),
      { numRuns },
    );
  });
});

/** What promise 4 compares: which reward carried a netting is history, and so is its version. */
function comparable(book: SettlementBook): unknown {
  const { entitled, issued } = book.totals();
  const rewards = Array.from({ length: 6 }, (_, i) => book.rewards.get(rewardIdOf(i + 1))).map(
    (reward) => reward && [reward.entitled, reward.issued, reward.campaignId, reward.action],
  );
  return { entitled, issued, owed: entitled - issued, rewards };
}

function checkBooks(book: SettlementBook): void {
  const accounts = { entitled: 0n, owed: 0n, issued: 0n };
  for (const { entries } of book.postings()) {
    expect(entries.reduce((sum, entry) => sum + entry.credits, 0n)).to.equal(0n);
    for (const { account, credits } of entries) accounts[account] += credits;
  }
  const totals = book.totals();
  expect(-accounts.entitled).to.equal(accounts.owed + accounts.issued);
  expect(accounts).to.deep.equal({
    entitled: -totals.entitled,
    owed: totals.entitled - totals.issued,
    issued: totals.issued,
  });
  const rewards = [...book.rewards.values()];
  expect(rewards.reduce((sum, r) => sum + r.entitled, 0n)).to.equal(totals.entitled);
  expect(rewards.reduce((sum, r) => sum + r.issued, 0n)).to.equal(totals.issued);
  expect(rewards.reduce((sum, r) => sum + heldOf(r), 0n)).to.equal(totals.held);
}
