import fc from 'fast-check';
import { asDecision } from './as-decision.ts';
import { compareFromScratch } from './compare-rewards.ts';
import { expectedDecisions } from './decisions.ts';
import { expectedRewards } from './rewards.ts';
import { isReferral } from './world.ts';
import { worlds } from './worlds.ts';

describe('the fold of rewards', function () {
  this.timeout(60_000);

  for (const [what, flavour, numRuns] of [
    ['rules with limits', { attribution: 'plain', rules: 'tricky', events: 20 }, 4_000],
    ['all that attribution decides', { attribution: 'tricky', rules: 'tricky', events: 20 }, 2_000],
  ] as const) {
    it(`entitles as the oracle does: ${what}`, () => {
      fc.assert(
        fc.property(worlds(flavour), (world) => {
          const decisions = expectedDecisions(world);
          const records = world.events
            .filter(isReferral)
            .map((event) => asDecision(world, event, decisions.get(event.eventId)!));
          compareFromScratch(world, records, expectedRewards(world, decisions));
        }),
        { numRuns, interruptAfterTimeLimit: 6_000 },
      );
    });
  }
});
