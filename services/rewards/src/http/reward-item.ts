import { shownState, type ShownState } from '@tributary/contracts/reward-state';
import type { RewardContent } from '@tributary/contracts/state-item';
import { formatCredits } from '@tributary/rewards-fold/credits';
import type { Entitlement } from '@tributary/rewards-fold/entitlement';

/** A reward in full: what is compared of it, and what is told to people. */
export type RewardItem = RewardContent & {
  issued: string;
  state: ShownState;
  /** From the fact to the amount, as a fold tells it too. What settled it is history. */
  explanation: readonly string[];
};

/** What is there of a reward, which is little while only an issuance is known. */
export function rewardItem(reward: Entitlement): RewardItem {
  const { rewardId, tenantId, recipientId, campaignId, cause } = reward;
  return {
    ...{ rewardId, tenantId, recipientId, campaignId },
    campaignRevision: cause?.campaignRevision ?? 0,
    ruleId: cause?.ruleId ?? '',
    recipientRole: cause?.recipientRole ?? '',
    businessKey: cause?.businessKey ?? '',
    eventId: cause?.eventId ?? '',
    occurredAtSeconds: cause?.occurredAtSeconds ?? '',
    receivedAt: cause?.receivedAt ?? '',
    entitled: formatCredits(reward.entitled),
    issued: formatCredits(reward.issued),
    state: shownState(reward),
    maturesAt: reward.maturesAt,
    reviews: reward.reviews,
    action: reward.action,
    tests: reward.tests,
    calculation: reward.calculation,
    explanation: reward.explanation,
  };
}
