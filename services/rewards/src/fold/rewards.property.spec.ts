import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Book, createBook } from '../testing/in-memory-book.ts';
import {
  asDuplicate,
  purchaseDecision,
  revisionOf,
  signupDecision,
} from '@tributary/rewards-fold/testing/records';

const numRuns = 500;

/** A decision through its versions: who it credits, under which revision, or nobody. */
const decisionHistory = fc
  .record({
    n: fc.integer({ min: 1, max: 8 }),
    invoice: fc.integer({ min: 1, max: 5 }),
    signup: fc.boolean(),
    forms: fc.array(
      fc.record({
        referrerId: fc.constantFrom('anna', 'bert', 'cleo'),
        campaignId: fc.constantFrom('c1', 'c2'),
        campaignRevision: fc.constantFrom(1, 2),
        attributed: fc.integer({ min: 0, max: 3 }).map((x) => x > 0),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ n, invoice, signup, forms }) =>
    forms.map((form, i): DecisionRecord => {
      const { attributed, ...credited } = form;
      const overrides = { ...credited, version: i + 1 };
      const decision = signup
        ? signupDecision(n, overrides)
        : purchaseDecision(n, { invoice, ...overrides });
      return attributed ? decision : { ...asDuplicate(decision, 'other'), version: i + 1 };
    }),
  );

const histories = fc.uniqueArray(decisionHistory, {
  selector: (history) => history[0]?.decisionId,
  minLength: 1,
  maxLength: 8,
});

const revisions = ['c1', 'c2'].flatMap((campaignId) =>
  [1, 2].map((revision) =>
    revisionOf({
      campaignId,
      revision,
      creditScale: 3,
      rules: revisionOf().rules.map((rule) => ({
        ...rule,
        effect: { kind: 'fixed' as const, credits: revision === 1 ? '10' : '7.125' },
      })),
    }),
  ),
);

/** Records in any order, some twice, in batches; revisions and releases anywhere in between. */
const steps = histories.chain((chosen) => {
  const records = chosen.flat();
  return fc.record({
    records: fc.constant(records),
    shuffled: fc.array(fc.nat({ max: records.length - 1 }), { maxLength: 10 }).chain((again) =>
      fc.shuffledSubarray([...records, ...again.map((i) => records[i]!)], {
        minLength: records.length + again.length,
      }),
    ),
    batch: fc.integer({ min: 1, max: 5 }),
    releaseEvery: fc.integer({ min: 1, max: 6 }),
    revisionsAt: fc.array(fc.nat({ max: 12 }), { minLength: 4, maxLength: 4 }),
  });
});

describe('rewards, over any history', () => {
  it('comes to the same entitlements in any order, duplication and batching (promise 4)', () => {
    fc.assert(
      fc.property(steps, ({ records, shuffled, batch, revisionsAt }) => {
        const sorted = createBook();
        for (const revision of revisions) sorted.publish(revision);
        for (const record of records) sorted.decide(record);

        const other = createBook();
        for (let i = 0; i < shuffled.length; i += batch) {
          revisions.filter((_, r) => revisionsAt[r] === i).forEach(other.publish);
          other.decide(...shuffled.slice(i, i + batch));
        }
        for (const revision of revisions) other.publish(revision);
        expect(entitlements(other)).to.deep.equal(entitlements(sorted));
      }),
      { numRuns },
    );
  });

  it('keeps its books at every step, with releases anywhere (design 7)', () => {
    fc.assert(
      fc.property(steps, ({ shuffled, batch, releaseEvery }) => {
        const book = createBook();
        for (const revision of revisions) book.publish(revision);
        const most = new Map<string, bigint>();
        for (let i = 0; i < shuffled.length; i += batch) {
          book.decide(...shuffled.slice(i, i + batch));
          for (const reward of book.rewards()) {
            const before = most.get(reward.rewardId) ?? 0n;
            if (reward.entitled > before) most.set(reward.rewardId, reward.entitled);
          }
          if (i % releaseEvery === 0) book.release();
          checkBooks(book, most);
        }
        book.release();
        checkBooks(book, most);
        for (const who of ['anna', 'bert', 'cleo']) {
          const totals = book.totals(who);
          if (totals) expect(totals.held === 0n && totals.issued >= totals.entitled).to.equal(true);
        }
      }),
      { numRuns },
    );
  });

  it('rebuilds issued and owed from the same issuance facts and sends nothing (promise 6)', () => {
    fc.assert(
      fc.property(steps, fc.boolean(), ({ shuffled, batch, releaseEvery }, factsFirst) => {
        const book = createBook();
        for (const revision of revisions) book.publish(revision);
        for (let i = 0; i < shuffled.length; i += batch) {
          book.decide(...shuffled.slice(i, i + batch));
          if (i % releaseEvery === 0) book.release();
        }
        book.release();

        const rebuilt = createBook();
        for (const revision of revisions) rebuilt.publish(revision);
        if (factsFirst) rebuilt.receive(...book.issuances());
        rebuilt.decide(...shuffled);
        rebuilt.receive(...book.issuances());
        rebuilt.release();
        expect(rebuilt.issuances()).to.have.length(book.issuances().length);
        expect(entitlements(rebuilt)).to.deep.equal(entitlements(book));
        for (const who of ['anna', 'bert', 'cleo']) {
          const none = { entitled: 0n, issued: 0n, held: 0n };
          expect(rebuilt.totals(who) ?? none).to.deep.equal(book.totals(who) ?? none);
        }
      }),
      { numRuns },
    );
  });
});

/** What promise 4 compares; withdrawn rewards that never were in the other history are nothing. */
function entitlements(book: Book): unknown[] {
  return book
    .rewards()
    .filter((reward) => reward.entitled > 0n)
    .map(({ rewardId, recipientId, campaignId, entitled, cause }) => ({
      rewardId,
      recipientId,
      campaignId,
      entitled,
      eventId: cause?.eventId,
      campaignRevision: cause?.campaignRevision,
    }))
    .sort((a, b) => (a.rewardId < b.rewardId ? -1 : 1));
}

function checkBooks(book: Book, most: ReadonlyMap<string, bigint>): void {
  const owed = new Map<string, bigint>();
  for (const { entries, recipientId } of book.postings()) {
    expect(entries.reduce((sum, entry) => sum + entry.credits, 0n)).to.equal(0n);
    for (const { account, credits } of entries) {
      if (account === 'owed') owed.set(recipientId, (owed.get(recipientId) ?? 0n) + credits);
    }
  }
  for (const [recipientId, balance] of owed) {
    const totals = book.totals(recipientId)!;
    expect(totals.entitled - totals.issued).to.equal(balance);
    const rewards = book.reward(recipientId);
    expect(rewards.reduce((sum, r) => sum + r.entitled, 0n)).to.equal(totals.entitled);
    expect(rewards.reduce((sum, r) => sum + r.issued, 0n)).to.equal(totals.issued);
  }
  for (const reward of book.rewards()) {
    expect(reward.issued <= (most.get(reward.rewardId) ?? 0n), 'over-issued').to.equal(true);
  }
  for (const fact of book.issuances()) expect(fact.credits > 0n).to.equal(true);
}
