import { expect } from 'chai';
import fc from 'fast-check';
import {
  limitHistories,
  revisions,
  shuffledRecords,
} from '@tributary/rewards-fold/testing/arbitrary';
import { reportedRewards, reportedTargets } from '@tributary/rewards-fold/testing/compare';
import { type Book, createBook } from '../testing/in-memory-book.ts';
import { parseCredits } from '@tributary/rewards-fold/credits';
import { foldClaims } from '@tributary/rewards-fold/fold-claims';
import { amountOf, counterName } from '@tributary/rewards-fold/apply-caps';
import { exactSeconds } from '@tributary/rewards-fold/sort-key';
import type { Target } from '@tributary/rewards-fold/target';
import { limitsOf } from '@tributary/rewards-fold/terms';

const histories = fc.record({
  revisions,
  records: shuffledRecords,
  batch: fc.integer({ min: 1, max: 5 }),
  publishAt: fc.array(fc.nat({ max: 12 }), { minLength: 4, maxLength: 4 }),
});

describe('rewards folded as facts arrive', function () {
  this.timeout(60_000);

  it('are those of a fold from scratch, after every batch (design 7)', () => {
    fc.assert(
      fc.property(histories, ({ revisions, records, batch, publishAt }) => {
        const book = createBook();
        for (let i = 0; i < records.length; i += batch) {
          revisions.filter((_, r) => publishAt[r] === i).forEach(book.publish);
          book.decide(...records.slice(i, i + batch));
          checkRewards(book);
        }
        for (const revision of revisions) book.publish(revision);
        checkRewards(book);
      }),
      { numRuns: 1_000 },
    );
  });

  it('are so under limits that many share, and never exceed them', () => {
    fc.assert(
      fc.property(limitHistories, ({ revisions, records, batch }) => {
        const book = createBook();
        for (const revision of revisions) book.publish(revision);
        for (let i = 0; i < records.length; i += batch) {
          book.decide(...records.slice(i, i + batch));
          checkRewards(book);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('end the same in any order and batching, and move without a trace (promise 4)', () => {
    fc.assert(
      fc.property(histories, histories, ({ revisions, records }, { batch, publishAt }) => {
        const [one, other] = [createBook(), createBook()];
        for (const revision of revisions) one.publish(revision);
        one.decide(...records);
        const reversed = records.toReversed();
        for (let i = 0; i < reversed.length; i += batch) {
          revisions.filter((_, r) => publishAt[r] === i).forEach(other.publish);
          other.decide(...reversed.slice(i, i + batch));
        }
        for (const revision of revisions) other.publish(revision);
        expect(reportedRewards(other.rewards())).to.deep.equal(reportedRewards(one.rewards()));

        // What moved away leaves nothing where it was: no credits, no room that is used up.
        expect(limitsLeft(other)).to.deep.equal(limitsLeft(one));
        for (const who of ['anna', 'bert', 'cleo', 'udo']) {
          const entitled = (book: Book) => book.totals(who)?.entitled ?? 0n;
          expect(entitled(other)).to.equal(entitled(one));
        }
      }),
      { numRuns: 700 },
    );
  });

  it('are so again once folds that threw do no more', () => {
    const failures = fc.record({
      ill: fc.subarray(['anna', 'bert', 'udo', 'uli']),
      from: fc.nat({ max: 12 }),
      to: fc.nat({ max: 24 }),
    });
    fc.assert(
      fc.property(
        fc.oneof(histories, limitHistories),
        failures,
        ({ revisions, records, batch }, { ill, from, to }) => {
          const book = createBook();
          for (const revision of revisions) book.publish(revision);
          for (let i = 0; i < records.length; i += batch) {
            if (i >= from && i < to) ill.forEach(book.fail);
            else book.recover();
            book.decide(...records.slice(i, i + batch));
            if (i >= to) {
              book.recover();
              checkRewards(book);
            }
          }
          book.recover();
          checkRewards(book);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are the same when they are folded again though nothing changed', () => {
    fc.assert(
      fc.property(histories, ({ revisions, records }) => {
        const book = createBook();
        for (const revision of revisions) book.publish(revision);
        book.decide(...records);
        const before = JSON.stringify(
          book.rewards().map(({ rewardId, version }) => [rewardId, version]),
        );
        book.foldAgain(
          book
            .rewards()
            .flatMap(({ tenantId, recipientId, cause }) =>
              cause ? [{ tenantId, recipientId, businessKey: cause.businessKey }] : [],
            ),
        );
        expect(
          JSON.stringify(book.rewards().map(({ rewardId, version }) => [rewardId, version])),
        ).to.equal(before);
      }),
      { numRuns: 400 },
    );
  });
});

function checkRewards(book: Book): void {
  const targets = foldClaims(book.claims());
  expect(reportedRewards(book.rewards())).to.deep.equal(reportedTargets(targets));
  checkCaps(book, targets);
  checkLedger(book);
}

/** In each period no more than the cap is entitled; where revisions differ, than the highest. */
function checkCaps(book: Book, targets: readonly Target[]): void {
  const revisions = new Map(
    book.claims().flatMap(({ revision: r }) => (r ? [[`${r.campaignId} ${r.revision}`, r]] : [])),
  );
  const sums = new Map<string, { sum: bigint; cap: bigint }>();
  for (const target of targets) {
    const { cause, campaignId, recipientId, credits, calculation } = target;
    const amounts = calculation.map((step) => parseCredits(step.credits));
    expect(
      credits >= 0n && amounts.every((amount, i) => i === 0 || amount <= amounts[i - 1]!),
    ).to.equal(true);
    const revision = revisions.get(`${campaignId} ${cause.campaignRevision}`);
    const rule = revision?.rules.find((one) => one.ruleId === cause.ruleId);
    for (const limit of rule ? limitsOf(rule) : []) {
      const counter = counterName(limit, Number(exactSeconds(cause.occurredAtSeconds).whole));
      const name = JSON.stringify([
        campaignId,
        recipientId,
        cause.ruleId,
        cause.recipientRole,
        counter,
      ]);
      const { sum, cap } = sums.get(name) ?? { sum: 0n, cap: 0n };
      const most = limit.cap > cap ? limit.cap : cap;
      sums.set(name, { sum: sum + amountOf(limit, credits), cap: most });
    }
  }
  for (const [name, { sum, cap }] of sums) expect(sum <= cap, name).to.equal(true);
}

function checkLedger(book: Book): void {
  const owed = new Map<string, bigint>();
  for (const { entries, recipientId } of book.postings()) {
    expect(entries.reduce((sum, entry) => sum + entry.credits, 0n)).to.equal(0n);
    for (const { account, credits } of entries) {
      if (account === 'owed') owed.set(recipientId, (owed.get(recipientId) ?? 0n) + credits);
    }
  }
  const entitled = new Map<string, bigint>();
  for (const reward of book.rewards()) {
    entitled.set(reward.recipientId, (entitled.get(reward.recipientId) ?? 0n) + reward.entitled);
  }
  for (const [recipientId, sum] of entitled) expect(owed.get(recipientId) ?? 0n).to.equal(sum);
}

function limitsLeft(book: Book): string[] {
  return book.tables.wantedOfCounters().sort();
}
