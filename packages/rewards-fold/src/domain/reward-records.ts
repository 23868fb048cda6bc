import {
  type IssuanceRecord,
  issuanceSchemaVersion,
  type RewardActionRecord,
} from '@tributary/contracts/issuance-record';
import { type RewardRecord, rewardSchemaVersion } from '@tributary/contracts/reward-record';
import { formatCredits, parseCredits } from './credits.ts';
import type { Entitlement, Issuance, RewardAction } from './entitlement.ts';

/** @throws for a stub: a reward is published once its cause is known. */
export function rewardToWire(reward: Entitlement): RewardRecord {
  const { cause } = reward;
  if (!cause) throw new Error(`reward ${reward.rewardId} has no cause yet`);
  return {
    schemaVersion: rewardSchemaVersion,
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
    issuedCredits: formatCredits(reward.issued),
    ...(cause.newUserId !== undefined && { newUserId: cause.newUserId }),
    ...(cause.occurredAt !== undefined && { occurredAt: cause.occurredAt }),
    ...(reward.maturesAt !== undefined && { maturesAt: reward.maturesAt }),
    ...(reward.reviews.length > 0 && { reviewReasons: [...reward.reviews] }),
    tests: [...reward.tests],
    calculation: [...reward.calculation],
    explanation: [...reward.explanation, ...reward.settlement],
  };
}

export function issuanceToWire(fact: Issuance): IssuanceRecord {
  const { credits, ...rest } = fact;
  return {
    schemaVersion: issuanceSchemaVersion,
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

export function actionToWire({ type: actionType, ...rest }: RewardAction): RewardActionRecord {
  return { schemaVersion: issuanceSchemaVersion, type: actionType, ...rest };
}

export function actionFromWire(record: RewardActionRecord): RewardAction {
  const { schemaVersion: _, type, ...rest } = record;
  return { type, ...rest };
}
