import type { DecisionContent } from '@tributary/attribution-fold/decision';
import {
  decisionDigest,
  type DecisionLine,
  type RecipientLine,
  type RewardContent,
  rewardDigest,
  type RewardLine,
} from '@tributary/contracts/state-item';
import { formatCredits } from '@tributary/rewards-fold/credits';
import type { Target } from '@tributary/rewards-fold/target';
import type { Reward } from './phases/settle-rewards.ts';

export function decisionLineOf(decision: DecisionContent): DecisionLine {
  const { tenantId, newUserId, eventId } = decision;
  return { kind: 'decision', tenantId, newUserId, eventId, digest: decisionDigest(decision) };
}

/** Undefined for a reward that is none: nothing gives it and nothing was issued. */
export function rewardLineOf(reward: Reward): RewardLine | undefined {
  const { tenantId, recipientId, rewardId, campaignId, cause, target } = reward;
  if (!target && reward.issued === 0n) return undefined;
  return {
    kind: 'reward',
    ...{ tenantId, recipientId, rewardId, campaignId },
    ruleId: cause?.ruleId ?? '',
    recipientRole: cause?.recipientRole ?? '',
    month: cause ? monthOf(cause.occurredAtSeconds) : '',
    entitled: formatCredits(reward.entitled),
    issued: formatCredits(reward.issued),
    state: reward.state,
    digest: target ? rewardDigest(contentOf(reward, target)) : '',
  };
}

/** Undefined when there is nothing to tell. */
export function recipientLineOf(rewards: readonly Reward[]): RecipientLine | undefined {
  const [first] = rewards;
  if (!first) return undefined;
  const entitled = rewards.reduce((sum, reward) => sum + reward.entitled, 0n);
  const issued = rewards.reduce((sum, reward) => sum + reward.issued, 0n);
  if (entitled === 0n && issued === 0n) return undefined;
  return {
    kind: 'recipient',
    tenantId: first.tenantId,
    recipientId: first.recipientId,
    entitled: formatCredits(entitled),
    issued: formatCredits(issued),
    owed: formatCredits(entitled - issued),
  };
}

export function contentOf(reward: Reward, { cause }: Target): RewardContent {
  const { rewardId, tenantId, recipientId, campaignId } = reward;
  const { maturesAt, reviews, action, tests, calculation } = reward;
  const { campaignRevision, ruleId, recipientRole, businessKey, eventId } = cause;
  const { occurredAtSeconds, receivedAt } = cause;
  return {
    ...{ rewardId, tenantId, recipientId, campaignId, campaignRevision, ruleId, recipientRole },
    ...{ businessKey, eventId, occurredAtSeconds, receivedAt },
    ...{ entitled: formatCredits(reward.entitled), maturesAt, reviews, action },
    ...{ tests, calculation },
  };
}

/** `2026-03` in UTC, of any year that RFC 3339 can write. */
export function monthOf(occurredAtSeconds: string): string {
  const [whole = '', fraction = ''] = occurredAtSeconds.split('.');
  const below = whole.startsWith('-') && /[1-9]/.test(fraction) ? 1 : 0;
  const day = new Date((Number(whole) - below) * 1_000).toISOString();
  return day.slice(0, day.indexOf('-', 1) + 3);
}
