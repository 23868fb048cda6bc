import { compareCanonical } from '@tributary/contracts/canonical-order';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { FoldedDecision } from './folded-decision.ts';
import { type SortKey, sortKeyOf } from './sort-key.ts';

/** A current decision together with the campaign revision it names, once that has arrived. */
export type Claim = { decision: FoldedDecision; revision?: CampaignRevisionRecord };

/**
 * A business fact that counts now: who referred whom in which campaign, and where it stands in the
 * canonical order. What other facts need to know of it; stored, so that they can be found by it.
 */
export type StepRow = {
  tenantId: string;
  businessKey: string;
  campaignId: string;
  referrerId: string;
  newUserId: string;
  decisionId: string;
  sortKey: SortKey;
  isPurchase: boolean;
  /** A purchase of which refunds have left something; it makes its user count for tiers. */
  isRetained: boolean;
};

export type Step = StepRow & { decision: FoldedDecision; revision: CampaignRevisionRecord };

/**
 * Undefined for a decision that earns nothing by itself: not attributed, without its revision yet,
 * or a refund, which is a step of its purchase.
 */
export function stepOf({ decision, revision }: Claim): Step | undefined {
  const { tenantId, businessKey, referrerId, newUserId, decisionId, eventType } = decision;
  if (decision.outcome !== 'attributed' || referrerId === undefined || !revision) return undefined;
  if (eventType === 'purchase-refunded') return undefined;
  const isPurchase = eventType === 'purchase-created';
  return {
    tenantId,
    businessKey,
    campaignId: revision.campaignId,
    referrerId,
    newUserId,
    decisionId,
    sortKey: sortKeyOf(decision),
    isPurchase,
    isRetained: isPurchase && !decision.reversals?.some((reversal) => reversal.full),
    decision,
    revision,
  };
}

/**
 * One step per business fact. While a fact moves from one event to another both may claim it for a
 * moment; the first in canonical order has it, so that it never counts twice.
 */
export function holderOf(claims: readonly Claim[]): Step | undefined {
  const steps = claims.flatMap((claim) => stepOf(claim) ?? []);
  return steps.sort((a, b) => compareCanonical(a.decision, b.decision))[0];
}

export function stepRowOf(step: StepRow): StepRow {
  const { tenantId, businessKey, campaignId, referrerId, newUserId, decisionId } = step;
  const { sortKey, isPurchase, isRetained } = step;
  const ids = { tenantId, businessKey, campaignId, referrerId, newUserId, decisionId };
  return { ...ids, sortKey, isPurchase, isRetained };
}

export function sameStepRow(a: StepRow, b: StepRow): boolean {
  return (
    sameReferral(a, b) &&
    a.decisionId === b.decisionId &&
    a.sortKey === b.sortKey &&
    a.isPurchase === b.isPurchase &&
    a.isRetained === b.isRetained
  );
}

/** One referrer's referral of one user in one campaign. */
export type ReferralKey = Pick<StepRow, 'tenantId' | 'campaignId' | 'referrerId' | 'newUserId'>;

export function referralName(key: ReferralKey): string {
  return JSON.stringify([key.tenantId, key.campaignId, key.referrerId, key.newUserId]);
}

export function sameReferral(a: ReferralKey, b: ReferralKey): boolean {
  return referralName(a) === referralName(b);
}

/** All that one referrer refers in one campaign. */
export type LaneKey = Pick<StepRow, 'tenantId' | 'campaignId' | 'referrerId'>;

export function laneName(key: LaneKey): string {
  return JSON.stringify([key.tenantId, key.campaignId, key.referrerId]);
}
