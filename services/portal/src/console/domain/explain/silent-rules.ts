import type { CampaignRule, Effect } from '@tributary/contracts/campaign-rule';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord, DecisionTest } from '@tributary/contracts/decision-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { ruleTests } from '@tributary/contracts/rule-tests';
import type { SilentRule } from './story.ts';
import { quoted } from './format.ts';

/**
 * The rules of the named revision that gave nothing for an attributed fact, each with the tests
 * that say why. Trigger and conditions are evaluated here by the same function as in rewards; where
 * they all hold, the reason lies in what only rewards can see, and the last line says where.
 */
export function silentRulesOf(
  decision: DecisionRecord | undefined,
  revision: CampaignRevisionRecord | undefined,
  rewards: readonly Pick<RewardRecord, 'ruleId'>[],
): SilentRule[] {
  if (decision?.outcome !== 'attributed' || revision === undefined) return [];
  if (decision.eventType === 'purchase-refunded') return [];
  const gave = new Set(rewards.map(({ ruleId }) => ruleId));
  return revision.rules
    .filter(({ ruleId }) => !gave.has(ruleId))
    .map((rule) => {
      const tests = ruleTests(rule, decision);
      if (tests.some(({ passed }) => !passed)) return { ruleId: rule.ruleId, tests };
      return { ruleId: rule.ruleId, tests: [...tests, furtherReason(rule, decision, revision)] };
    });
}

function furtherReason(
  rule: CampaignRule,
  decision: DecisionRecord,
  { rules, ruleMatching }: CampaignRevisionRecord,
): DecisionTest {
  const earlier = rules
    .slice(0, rules.indexOf(rule))
    .find((other) => sharesRole(other, rule) && allHold(other, decision));
  if (ruleMatching === 'first' && earlier !== undefined) {
    const detail = `only the first rule that matches applies, and rule ${quoted(earlier.ruleId)} comes first`;
    return { test: 'first match', passed: false, detail };
  }
  const currency = decision.purchase?.currency;
  if (currency !== undefined && !namesRate(rule.effect, currency)) {
    const detail = `the rule has no credit rate for ${currency}`;
    return { test: 'rate', passed: false, detail };
  }
  const { firstPurchases, months } = rule.limits ?? {};
  const limits = [
    ...(firstPurchases === undefined ? [] : [`the first ${firstPurchases} purchases`]),
    ...(months === undefined ? [] : [`the first ${months} months`]),
  ];
  if (limits.length > 0) {
    const detail = `the rule is for ${limits.join(' within ')} of a referral; this is later, or its amount rounds to 0`;
    return { test: 'limits of the referral', passed: false, detail };
  }
  const isShare = rule.effect.kind !== 'fixed';
  const detail = isShare
    ? 'its amount rounds to 0, or no reward has arrived yet'
    : 'no reward has arrived yet';
  return { test: 'amount', passed: false, detail };
}

function sharesRole(a: CampaignRule, b: CampaignRule): boolean {
  return a.recipient === 'both' || b.recipient === 'both' || a.recipient === b.recipient;
}

function allHold(rule: CampaignRule, decision: DecisionRecord): boolean {
  return ruleTests(rule, decision).every(({ passed }) => passed);
}

function namesRate(effect: Effect, currency: string): boolean {
  switch (effect.kind) {
    case 'fixed':
      return true;
    case 'percent':
      return Object.hasOwn(effect.creditsPerMajorUnit, currency);
    case 'tiered':
      return effect.tiers.some((tier) => namesRate(tier.effect, currency));
    default:
      return effect satisfies never;
  }
}
