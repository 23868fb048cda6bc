import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import type { DecisionTest } from '@tributary/contracts/decision-record';
import { monthsLater } from './calendar.ts';
import { exactSeconds, isBefore, type SortKey } from './sort-key.ts';
import type { Step } from './step.ts';

/** What limits per referral look back at: one user's facts, in one campaign, of one referrer. */
export type Referral = {
  /** Where the user's purchases stand, refunded or not, in canonical order. */
  purchases: readonly SortKey[];
  /** The user's first fact. */
  first?: { occurredAt: string; occurredAtSeconds: string };
};

export const unlimited: Referral = { purchases: [] };

export function referralOf(steps: readonly Step[]): Referral {
  const ordered = [...steps].sort((a, b) => (a.sortKey < b.sortKey ? -1 : 1));
  const first = ordered[0]?.decision;
  return {
    purchases: ordered.filter((step) => step.isPurchase).map((step) => step.sortKey),
    ...(first && {
      first: { occurredAt: first.occurredAt, occurredAtSeconds: first.occurredAtSeconds },
    }),
  };
}

/** The tests of a rule's limits per referral on one step of it. */
export function referralTests(rule: CampaignRule, step: Step, referral: Referral): DecisionTest[] {
  const { firstPurchases, months } = rule.limits ?? {};
  const tests: DecisionTest[] = [];
  if (firstPurchases !== undefined && step.isPurchase) {
    const passed = !referral.purchases
      .slice(firstPurchases - 1, firstPurchases)
      .some((last) => last < step.sortKey);
    const first = firstPurchases === 1 ? 'the first earns' : `the first ${firstPurchases} earn`;
    const here = passed ? 'is one of them' : 'is later';
    const detail = `of a user's purchases only ${first}; this ${here}`;
    tests.push({ test: 'first purchases', passed, detail });
  }
  if (months !== undefined && referral.first) {
    const { occurredAt, occurredAtSeconds } = referral.first;
    const end = monthsLater(exactSeconds(occurredAtSeconds), months);
    const passed = isBefore(exactSeconds(step.decision.occurredAtSeconds), end);
    const span = months === 1 ? '1 month' : `${months} months`;
    const here = passed ? 'is in time' : 'is later';
    const detail = `only what a user does within ${span} of their first fact (${occurredAt}) earns; this ${here}`;
    tests.push({ test: 'months', passed, detail });
  }
  return tests;
}
