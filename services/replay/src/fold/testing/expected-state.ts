import { decideFromScratch, type History } from '@tributary/attribution-fold/decide-from-scratch';
import type { IssuanceFact } from '@tributary/contracts/issuance-record';
import { toLine } from '@tributary/contracts/state-item';
import { recordKey } from '@tributary/contracts/topics';
import { foldClaims } from '@tributary/rewards-fold/fold-claims';
import { decisionLineOf, recipientLineOf, rewardLineOf } from '../lines.ts';
import { settleRewards } from '../phases/settle-rewards.ts';

/** The lines of a history by the definitions of the two folds, over everything at once. */
export function expectedState(history: History & { issuances?: readonly IssuanceFact[] }): {
  decisions: string[];
  rewards: string[];
} {
  const decisions = decideFromScratch(history);
  const targets = foldClaims(
    decisions.map((decision) => {
      const revision = history.revisions.find(
        (one) =>
          one.tenantId === decision.tenantId &&
          one.campaignId === decision.campaignId &&
          one.revision === decision.campaignRevision,
      );
      return { decision: { ...decision, version: 1 }, ...(revision && { revision }) };
    }),
  );
  const keyOf = (of: { tenantId: string; recipientId: string }) =>
    recordKey(of.tenantId, of.recipientId);
  const targetsOf = Map.groupBy(targets, keyOf);
  const factsOf = Map.groupBy(history.issuances ?? [], keyOf);
  const rewards = [...new Set([...targetsOf.keys(), ...factsOf.keys()])].flatMap((key) => {
    const own = settleRewards(targetsOf.get(key) ?? [], factsOf.get(key) ?? []);
    const total = recipientLineOf(own);
    return [...own.flatMap((reward) => rewardLineOf(reward) ?? []), ...(total ? [total] : [])];
  });
  return {
    decisions: decisions.map((decision) => toLine(decisionLineOf(decision))).sort(),
    rewards: rewards.map(toLine).sort(),
  };
}
