import type { IssuanceRecord } from '@tributary/contracts/issuance-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { formatCredits, parseCredits } from './credits.ts';
import type { Entitlement, Issuance } from './entitlement.ts';

/** @throws for a stub: a reward is published once its cause is known. */
export function rewardToWire(reward: Entitlement): RewardRecord {
  const { cause } = reward;
  if (!cause) throw new Error(`reward ${reward.rewardId} has no cause yet`);
  return {
    schemaVersion: 1,
    rewardId: reward.rewardId,
    version: reward.version,
    tenantId: reward.tenantId,
    campaignId: reward.campaignId,
    campaignRevision: cause.campaignRevision,
    ruleId: cause.ruleId,
    recipientRole: cause.recipientRole,
    recipientId: reward.recipientId,
    businessKey: cause.businessKey,
    eventId: cause.eventId,
    decisionId: cause.decisionId,
    decisionVersion: cause.decisionVersion,
    state: reward.state,
    entitledCredits: formatCredits(reward.entitled),
    explanation: [...reward.explanation, ...reward.settlement],
  };
}

export function issuanceToWire(fact: Issuance): IssuanceRecord {
  const { credits, ...rest } = fact;
  return {
    schemaVersion: 1,
    type: 'issued',
    rewardType: 'credits',
    ...rest,
    credits: formatCredits(credits),
  };
}

export function issuanceFromWire(record: IssuanceRecord): Issuance {
  const { issuanceId, rewardId, tenantId, recipientId, campaignId } = record;
  const { issuedAt, webhookEventId } = record;
  const credits = parseCredits(record.credits);
  return {
    issuanceId,
    rewardId,
    tenantId,
    recipientId,
    campaignId,
    credits,
    issuedAt,
    webhookEventId,
  };
}
