import type { Tx } from '@tributary/runtime/postgres';
import type { Answers } from '@tributary/rewards-fold/fold-tables';
import type { FoldedDecision } from '@tributary/rewards-fold/folded-decision';
import type { CampaignKey, LookBack } from '@tributary/rewards-fold/look-back';
import type { Claim } from '@tributary/rewards-fold/step';
import { readEntitlements } from './entitlements.ts';
import { readCounters, readStoredTerms, readTermsBetween } from './cap-counters.ts';
import { readStepsBetween, readStepsOfFacts, readStepsOfReferrals } from './steps.ts';
import { refreshTiers } from './tiers.ts';

/** What the fold asks, from the tables; under the locks of the recipients. */
export function createFoldAnswers(
  tx: Tx,
  revisions: {
    claimsOf(tx: Tx, decisions: readonly FoldedDecision[]): Promise<Claim[]>;
    lookBacksOf(tx: Tx, campaigns: readonly CampaignKey[]): Promise<Map<string, LookBack>>;
  },
): Answers<true> {
  return {
    lookBacks: (campaigns) => revisions.lookBacksOf(tx, campaigns),
    boundaries: (lanes) => refreshTiers(tx, lanes),
    stepsBetween: async (ranges) => revisions.claimsOf(tx, await readStepsBetween(tx, ranges)),
    stepsOfReferrals: async (keys) => revisions.claimsOf(tx, await readStepsOfReferrals(tx, keys)),
    stepsOfFacts: async (facts) => revisions.claimsOf(tx, await readStepsOfFacts(tx, facts)),
    storedTerms: (touches) => readStoredTerms(tx, touches),
    termsBetween: (ranges) => readTermsBetween(tx, ranges),
    counters: (keys) => readCounters(tx, keys),
    entitlements: ({ facts, rewardIds }) => readEntitlements(tx, facts, rewardIds),
  };
}
