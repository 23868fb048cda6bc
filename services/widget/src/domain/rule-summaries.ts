import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type {
  CampaignRule,
  Effect,
  FixedEffect,
  PercentEffect,
  RuleConditions,
} from '@tributary/contracts/campaign-rule';
import type { RewardWords, WidgetSession } from '@tributary/contracts/public/widget-session';

/** The rules of a campaign as the widget shows them; one for both recipients is two of them. */
export function summarizeRules(rules: readonly CampaignRule[]): RewardWords[] {
  return rules.flatMap((rule) => {
    const { recipient, effect, newUserEffect } = rule;
    if (recipient !== 'both') return [summaryOf(rule, recipient, effect)];
    const referrer = summaryOf(rule, 'referrer', effect);
    return newUserEffect ? [referrer, summaryOf(rule, 'new-user', newUserEffect)] : [referrer];
  });
}

/** What a new user saves. null: nothing. */
export function newUserDiscount(
  campaign: Pick<CampaignRevisionRecord, 'newUserDiscountBasisPoints' | 'newUserDiscountMonth'>,
): WidgetSession['newUserDiscount'] {
  const { newUserDiscountBasisPoints: points = 0, newUserDiscountMonth: months } = campaign;
  // Zero months of a discount are none (interface 2.13).
  if (points === 0 || months === 0) return null;
  return { percentage: points / 10_000, months: months ?? null };
}

function summaryOf(
  { ruleId, trigger, conditions, limits, holdDays = 0 }: CampaignRule,
  recipient: RewardWords['recipient'],
  effect: Effect,
): RewardWords {
  return {
    ruleId,
    trigger,
    recipient,
    reward: rewardOf(effect),
    ...(asksForSomething(conditions) && { conditions }),
    ...(limits?.firstPurchases !== undefined && { firstPurchases: limits.firstPurchases }),
    holdDays,
  };
}

function rewardOf(effect: Effect): RewardWords['reward'] {
  switch (effect.kind) {
    case 'fixed':
      return { kind: 'fixed', credits: effect.credits };
    case 'percent': {
      const { creditsPerMajorUnit } = effect;
      return { kind: 'percent', percent: percentOf(effect), creditsPerMajorUnit };
    }
    case 'tiered': {
      const sorted = effect.tiers.toSorted((a, b) => a.fromCount - b.fromCount);
      const ends = sorted.length > 1 ? [sorted[0]!, sorted.at(-1)!] : sorted;
      const tiers = ends.map((tier) => ({ fromCount: tier.fromCount, ...tierOf(tier.effect) }));
      return { kind: 'tiered', tiers };
    }
    default:
      return effect satisfies never;
  }
}

function tierOf(effect: FixedEffect | PercentEffect): { credits: string } | { percent: string } {
  return effect.kind === 'fixed' ? { credits: effect.credits } : { percent: percentOf(effect) };
}

/** 1250 basis points are `12.5`. A quotient of such integers by 100 is written exactly. */
function percentOf({ basisPoints }: PercentEffect): string {
  return String(basisPoints / 100);
}

function asksForSomething(conditions: RuleConditions | undefined): boolean {
  return conditions !== undefined && Object.keys(conditions).length > 0;
}
