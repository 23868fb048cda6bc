import type { DecisionRecord } from '@tributary/contracts/decision-record';
import fc from 'fast-check';
import { foldVersions } from '../../packages/attribution-fold/src/domain/fold-version.ts';
import { usualLimits } from '../../services/attribution/src/fold/batch-limits.ts';
import { createModel } from '../../services/attribution/src/testing/in-memory-model.ts';
import { createBook } from '../../services/rewards/src/testing/in-memory-book.ts';
import { arrivalsOf, inVersionOrder, shuffled, worldOf } from './arrivals.ts';
import { compareDecisions } from './compare-decisions.ts';
import { compareRewards } from './compare-rewards.ts';
import { expectedDecisions } from './decisions.ts';
import { expectedRewards } from './rewards.ts';
import { worlds } from './worlds.ts';

describe('attribution and rewards, as records arrive', function () {
  this.timeout(120_000);

  for (const [what, flavour, numRuns] of [
    ['codes, users and times', { attribution: 'tricky', rules: 'plain', events: 14 }, 1_000],
    ['rules with limits', { attribution: 'plain', rules: 'tricky', events: 16 }, 700],
  ] as const) {
    it(`come to what the oracle says, in any order: ${what}`, async () => {
      await fc.assert(
        fc.asyncProperty(worlds(flavour), orders, async (reported, order) => {
          const { foldVersion } = order;
          const world = { ...reported, foldVersion };
          const model = createModel(usualLimits, foldVersion);
          const arrivals = inVersionOrder(shuffled(arrivalsOf(world), order.records));
          for (let i = 0; i < arrivals.length; i += order.batch) {
            const slice = arrivals.slice(i, i + order.batch);
            for (const topic of ['events', 'codes', 'catalog'] as const) {
              const records = slice.filter((a) => a.topic === topic).map((a) => a.record);
              if (records.length > 0) await model.apply(topic, records);
            }
            if (i % 3 === 0) await model.sweep();
            if (i % 3 === 0 && order.isCheckedOnTheWay) {
              const known = { ...worldOf(arrivals.slice(0, i + order.batch)), foldVersion };
              compareDecisions(versioned(model.current()), expectedDecisions(known));
            }
          }
          await model.sweep();
          const expected = expectedDecisions(world);
          compareDecisions(versioned(model.current()), expected);

          const book = createBook();
          const decisions = shuffled(model.published(), order.decisions);
          const revisions = shuffled(world.revisions, order.records);
          for (let i = 0; i < decisions.length; i += order.batch) {
            book.decide(...decisions.slice(i, i + order.batch));
            revisions.splice(0, 1).forEach(book.publish);
            if (i === order.releaseAt) book.release();
          }
          revisions.forEach(book.publish);
          // What was issued on the way changes nothing of what people are entitled to.
          compareRewards(book.rewards(), expectedRewards(world, expected));
        }),
        { numRuns, interruptAfterTimeLimit: 8_000 },
      );
    });
  }
});

const numbers = fc.array(fc.nat(), { minLength: 30, maxLength: 30 });
const orders = fc.record({
  records: numbers,
  decisions: numbers,
  batch: fc.integer({ min: 1, max: 5 }),
  isCheckedOnTheWay: fc.boolean(),
  releaseAt: fc.integer({ min: 0, max: 40 }),
  foldVersion: fc.constantFrom(...foldVersions),
});

function versioned(contents: readonly Omit<DecisionRecord, 'version'>[]): DecisionRecord[] {
  return contents.map((content) => ({ ...content, version: 1 }));
}
