import type { CampaignRule, LimitPeriod } from '@tributary/contracts/campaign-rule';
import type { FoldedDecision } from './folded-decision.ts';
import { formatMoney } from '@tributary/contracts/money';
import { parseCredits } from './credits.ts';
import type { Share } from './effect.ts';
import { type SortKey, sortKeyOf } from './sort-key.ts';

/** One limit of a recipient: `cap` is a number of rewards, or credits. */
export type Limit = { period: LimitPeriod; measure: 'credits' | 'count'; cap: bigint };

/** A refund's step: what share of the reward is left after it, and where it takes effect. */
export type RefundTerm = { place: SortKey; eventId: string; left: Share; detail: string };

/** What limits and refunds need to know of a reward, and all that they need. */
export type Terms = {
  rewardId: string;
  sortKey: SortKey;
  /** The second it occurred in; says which periods it is in. */
  second: number;
  /** After the effect and the limits per referral. */
  wanted: bigint;
  scale: number;
  limits: readonly Limit[];
  refunds: readonly RefundTerm[];
};

/** One per period and measure: of two alike the lower cap holds. */
export function limitsOf(rule: CampaignRule): Limit[] {
  const limits = new Map<string, Limit>();
  const add = (limit: Limit) => {
    const name = `${limit.period} ${limit.measure}`;
    const known = limits.get(name);
    if (!known || limit.cap < known.cap) limits.set(name, limit);
  };
  for (const { period, credits, count } of rule.limits?.perRecipient ?? []) {
    if (count !== undefined) add({ period, measure: 'count', cap: BigInt(count) });
    if (credits !== undefined) add({ period, measure: 'credits', cap: parseCredits(credits) });
  }
  return [...limits.values()];
}

/**
 * A refund takes effect where it stands in the canonical order; one that is reported to be earlier
 * than its purchase, right after it. Their amounts are sums, so none is before the one it adds to.
 */
export function refundTermsOf(rule: CampaignRule, decision: FoldedDecision): RefundTerm[] {
  const { purchase, reversals = [] } = decision;
  if (!purchase) return [];
  const policy = rule.refundPolicy ?? 'proportional';
  const paid = formatMoney(purchase.amount, purchase.currency);
  let last = sortKeyOf(decision);
  return reversals.map(({ reversedAmount, full, ...refund }) => {
    const sortKey = sortKeyOf(refund);
    if (sortKey > last) last = sortKey;
    const remaining = full ? 0 : purchase.amount - reversedAmount;
    const rest = `${formatMoney(remaining, purchase.currency)} of ${paid}`;
    return {
      place: last,
      eventId: refund.eventId,
      left: shareAfter(policy, remaining, purchase.amount),
      detail: `A refund left ${rest}; by the rule ${policyTexts[policy]}`,
    };
  });
}

function shareAfter(
  policy: NonNullable<CampaignRule['refundPolicy']>,
  remaining: number,
  paid: number,
): Share {
  if (policy === 'keep') return [1n, 1n];
  if (policy === 'full' || remaining <= 0) return [0n, 1n];
  return [BigInt(remaining), BigInt(paid)];
}

const policyTexts = {
  proportional: 'the reward keeps that share',
  full: 'any refund takes the whole reward back',
  keep: 'the reward is kept',
};
