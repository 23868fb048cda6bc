import fc from 'fast-check';
import { decideFromScratch } from '../../packages/attribution-fold/src/domain/decide-from-scratch.ts';
import { foldVersions as allFoldVersions } from '../../packages/attribution-fold/src/domain/fold-version.ts';
import { compareDecisions } from './compare-decisions.ts';
import { compareFromScratch } from './compare-rewards.ts';
import { expectedDecisions } from './decisions.ts';
import { expectedRewards } from './rewards.ts';
import { worlds } from './worlds.ts';

const foldVersions = fc.constantFrom(...allFoldVersions);

describe('the folds of attribution and rewards, one after the other', function () {
  this.timeout(60_000);

  for (const [what, flavour, numRuns] of [
    ['codes, users and times', { attribution: 'tricky', rules: 'plain', events: 20 }, 3_000],
    ['rules with limits', { attribution: 'plain', rules: 'tricky', events: 20 }, 1_000],
  ] as const) {
    it(`decide and entitle as the oracle does: ${what}`, () => {
      fc.assert(
        fc.property(worlds(flavour), foldVersions, (reported, foldVersion) => {
          const world = { ...reported, foldVersion };
          const expected = expectedDecisions(world);
          const decisions = decideFromScratch(world).map((content) => ({ ...content, version: 1 }));
          compareDecisions(decisions, expected);
          compareFromScratch(world, decisions, expectedRewards(world, expected));
        }),
        { numRuns, interruptAfterTimeLimit: 6_000 },
      );
    });
  }
});
