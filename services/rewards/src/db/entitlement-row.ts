import { formatCredits, parseCredits } from '@tributary/rewards-fold/credits';
import type {
  Cause,
  Entitlement,
  ReviewReason,
  RewardAction,
  RewardState,
} from '@tributary/rewards-fold/entitlement';
import { type StoredTexts, textsFromRow, textsToColumn } from './reward-texts.ts';

export type EntitlementRow = StoredTexts & {
  reward_id: string;
  version: number;
  tenant_id: string;
  recipient_id: string;
  campaign_id: string;
  state: RewardState;
  entitled: string;
  issued: string;
  issuances: number;
  campaign_revision: number | null;
  rule_id: string | null;
  recipient_role: Cause['recipientRole'] | null;
  business_key: string | null;
  event_id: string | null;
  decision_id: string | null;
  decision_version: number | null;
  occurred_at_seconds: string | null;
  received_at: string | null;
  new_user_id: string | null;
  occurred_at: string | null;
  matures_at: string | null;
  reviews: ReviewReason[];
  action: RewardAction['type'] | null;
  action_sequence: number | null;
  settlement: string[];
};

export const entitlementColumns = [
  'reward_id',
  'version',
  'tenant_id',
  'recipient_id',
  'campaign_id',
  'state',
  'entitled',
  'issued',
  'issuances',
  'campaign_revision',
  'rule_id',
  'recipient_role',
  'business_key',
  'event_id',
  'decision_id',
  'decision_version',
  'occurred_at_seconds',
  'received_at',
  'new_user_id',
  'occurred_at',
  'tests',
  'calculation',
  'matures_at',
  'reviews',
  'action',
  'action_sequence',
  'texts',
  'settlement',
] as const satisfies (keyof EntitlementRow)[];

export function fromRow(row: EntitlementRow): Entitlement {
  const cause = causeOf(row);
  return {
    rewardId: row.reward_id,
    version: row.version,
    tenantId: row.tenant_id,
    recipientId: row.recipient_id,
    campaignId: row.campaign_id,
    state: row.state,
    entitled: parseCredits(row.entitled),
    issued: parseCredits(row.issued),
    issuances: row.issuances,
    ...textsFromRow(row),
    ...(row.matures_at !== null && { maturesAt: row.matures_at }),
    reviews: row.reviews,
    ...(row.action !== null && { action: row.action }),
    ...(row.action_sequence !== null && { actionSequence: row.action_sequence }),
    settlement: row.settlement,
    ...(cause && { cause }),
  };
}

/** All of the cause or nothing of it: a check of the table. */
function causeOf(row: EntitlementRow): Cause | undefined {
  if (row.version === 0) return undefined;
  return {
    campaignRevision: row.campaign_revision!,
    ruleId: row.rule_id!,
    recipientRole: row.recipient_role!,
    businessKey: row.business_key!,
    eventId: row.event_id!,
    decisionId: row.decision_id!,
    decisionVersion: row.decision_version!,
    occurredAtSeconds: row.occurred_at_seconds!,
    receivedAt: row.received_at!,
    ...(row.new_user_id !== null && { newUserId: row.new_user_id }),
    ...(row.occurred_at !== null && { occurredAt: row.occurred_at }),
  };
}

export function toRow(reward: Entitlement): EntitlementRow {
  const { cause } = reward;
  const names = {
    recipient_id: reward.recipientId,
    campaign_id: reward.campaignId,
    rule_id: cause?.ruleId ?? null,
    new_user_id: cause?.newUserId ?? null,
    occurred_at: cause?.occurredAt ?? null,
  };
  return {
    ...names,
    reward_id: reward.rewardId,
    version: reward.version,
    tenant_id: reward.tenantId,
    state: reward.state,
    entitled: formatCredits(reward.entitled),
    issued: formatCredits(reward.issued),
    issuances: reward.issuances,
    campaign_revision: cause?.campaignRevision ?? null,
    recipient_role: cause?.recipientRole ?? null,
    business_key: cause?.businessKey ?? null,
    event_id: cause?.eventId ?? null,
    decision_id: cause?.decisionId ?? null,
    decision_version: cause?.decisionVersion ?? null,
    occurred_at_seconds: cause?.occurredAtSeconds ?? null,
    received_at: cause?.receivedAt ?? null,
    tests: null,
    calculation: null,
    matures_at: reward.maturesAt ?? null,
    reviews: [...reward.reviews],
    action: reward.action ?? null,
    action_sequence: reward.actionSequence ?? null,
    texts: textsToColumn(reward, names),
    settlement: [...reward.settlement],
  };
}
