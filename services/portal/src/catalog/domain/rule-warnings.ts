import { compareDecimal } from '@tributary/contracts/canonical-order';
import type { CampaignRule, LimitPeriod, RecipientLimit } from '@tributary/contracts/campaign-rule';
import type { CampaignWarning, CampaignWarningCode } from './campaign-warnings.ts';
import { listing } from './format-campaign.ts';
import { currenciesOf, plainEffects } from './rule-effects.ts';

/** The warnings of one rule by itself; `at` is its pointer. */
export function warningsOfRule(rule: CampaignRule, at: string): CampaignWarning[] {
  return warners.flatMap((warn) => warn(rule, at));
}

/** In mode `first`: rules that an earlier one without conditions always comes before. */
export function shadowedRules(rules: readonly CampaignRule[]): CampaignWarning[] {
  return rules.flatMap((rule, i) => {
    const earlier = rules
      .slice(0, i)
      .filter((other) => other.trigger === rule.trigger && isUnconditional(other));
    const taken = new Set(earlier.flatMap(rolesOf));
    if (!rolesOf(rule).every((role) => taken.has(role))) return [];
    const detail =
      'never applies: ruleMatching is "first", and an earlier rule for the same trigger and recipient has no conditions';
    return [warning('NEVER_FIRST', `/rules/${i}`, detail)];
  });
}

type Warn = (rule: CampaignRule, at: string) => CampaignWarning[];

const warners: readonly Warn[] = [
  warnOfZeroAmounts,
  warnOfRefunds,
  warnOfConditions,
  warnOfCurrencies,
  warnOfShares,
  warnOfTiers,
  warnOfSmallLimits,
  warnOfWideLimits,
  warnOfFirstPurchases,
];

function warnOfZeroAmounts(rule: CampaignRule, at: string): CampaignWarning[] {
  const { trigger, conditions } = rule;
  const fixed = plainEffects(rule, at).find(({ effect }) => effect.kind === 'fixed');
  if (trigger !== 'purchase-created' || fixed === undefined) return [];
  const minimums = conditions?.minimumAmounts;
  const allowed = currenciesOf(conditions);
  const minimumOf = (currency: string) => minimums?.[currency] ?? 0;
  if (allowed !== undefined && allowed.every((currency) => minimumOf(currency) > 0)) return [];
  const detail =
    'pays fixed credits for purchases of amount 0 too, such as trials and free plans; ' +
    'conditions.minimumAmounts of 1 or more asks for a paid one';
  return [warning('PAYS_FOR_NOTHING', fixed.pointer, detail)];
}

function warnOfRefunds({ trigger, holdDays = 0, refundPolicy }: CampaignRule, at: string) {
  if (trigger !== 'purchase-created') {
    if (refundPolicy === undefined) return [];
    const detail = 'has no effect here: only a purchase can be refunded';
    return [warning('REFUND_POLICY_UNUSED', `${at}/refundPolicy`, detail)];
  }
  if (refundPolicy === 'keep') {
    const detail = 'is "keep": a purchase that is refunded entirely keeps its credits';
    return [warning('REFUND_KEEPS_CREDITS', `${at}/refundPolicy`, detail)];
  }
  if (holdDays > 0) return [];
  const detail =
    'is 0: refunds come after the credits were sent; what they take back is owed, and kept from later rewards of the recipient';
  return [warning('SENT_BEFORE_REFUND', `${at}/holdDays`, detail)];
}

function warnOfConditions({ conditions }: CampaignRule, at: string): CampaignWarning[] {
  if (currenciesOf(conditions)?.length !== 0) return [];
  const detail =
    'can never hold: minimumAmounts names none of the currencies, and a currency without a minimum does not match';
  return [warning('NEVER_MATCHES', `${at}/conditions`, detail)];
}

function warnOfCurrencies(rule: CampaignRule, at: string): CampaignWarning[] {
  const allowed = currenciesOf(rule.conditions);
  if (allowed === undefined || allowed.length === 0) return [];
  return plainEffects(rule, at).flatMap(({ pointer, effect }): CampaignWarning[] => {
    if (effect.kind !== 'percent') return [];
    const rates = Object.keys(effect.creditsPerMajorUnit);
    const unrated = allowed.filter((currency) => !rates.includes(currency));
    const unused = rates.filter((currency) => !allowed.includes(currency));
    const place = `${pointer}/creditsPerMajorUnit`;
    const found: CampaignWarning[] = [];
    if (unrated.length > 0) {
      const detail = `has no rate for ${listing(unrated, 'and')}, which the conditions allow: such purchases earn nothing`;
      found.push(warning('CURRENCY_EARNS_NOTHING', place, detail));
    }
    if (unused.length > 0) {
      const detail = `names ${listing(unused, 'and')}, which the conditions never allow`;
      found.push(warning('RATE_UNUSED', place, detail));
    }
    return found;
  });
}

function warnOfShares(rule: CampaignRule, at: string): CampaignWarning[] {
  return plainEffects(rule, at)
    .filter(({ effect }) => effect.kind === 'percent' && effect.basisPoints > 10_000)
    .map(({ pointer }) => {
      const detail = 'is above 10000: the share is more than what was paid';
      return warning('MORE_THAN_PAID', `${pointer}/basisPoints`, detail);
    });
}

function warnOfTiers({ trigger, effect }: CampaignRule, at: string): CampaignWarning[] {
  if (effect.kind !== 'tiered' || trigger === 'purchase-created') return [];
  const detail =
    'count referred users who purchased, for this trigger too: before the first purchase the first tier holds';
  return [warning('TIERS_COUNT_PURCHASES', `${at}/effect/tiers`, detail)];
}

function warnOfSmallLimits(rule: CampaignRule, at: string): CampaignWarning[] {
  const fixed = plainEffects(rule, at).flatMap(({ effect }) =>
    effect.kind === 'fixed' ? [effect.credits] : [],
  );
  return (rule.limits?.perRecipient ?? []).flatMap(({ credits }, j) => {
    if (credits === undefined || !fixed.some((one) => compareDecimal(one, credits) > 0)) return [];
    const detail = 'is smaller than a single reward of the rule, which is always reduced to it';
    return [warning('LIMIT_BELOW_REWARD', `${at}/limits/perRecipient/${j}/credits`, detail)];
  });
}

/** Periods that lie wholly within another: a week may lie in two months. */
const within: Record<LimitPeriod, readonly LimitPeriod[]> = {
  day: ['week', 'month', 'lifetime'],
  week: ['lifetime'],
  month: ['lifetime'],
  lifetime: [],
};

function warnOfWideLimits({ limits }: CampaignRule, at: string): CampaignWarning[] {
  const entries = limits?.perRecipient ?? [];
  return entries.flatMap((entry, j) => {
    const longer = entries.filter(({ period }) => within[entry.period].includes(period));
    return (['credits', 'count'] as const).flatMap((measure) => {
      const stricter = longer.find((other) => isNoLarger(other, entry, measure));
      if (stricter === undefined) return [];
      const detail = `is never reached: the limit per ${stricter.period} is no larger`;
      const pointer = `${at}/limits/perRecipient/${j}/${measure}`;
      return [warning('LIMIT_NEVER_REACHED', pointer, detail)];
    });
  });
}

function isNoLarger(a: RecipientLimit, b: RecipientLimit, measure: 'credits' | 'count'): boolean {
  const [x, y] = [a[measure], b[measure]];
  return x !== undefined && y !== undefined && compareDecimal(String(x), String(y)) <= 0;
}

function warnOfFirstPurchases(rule: CampaignRule, at: string): CampaignWarning[] {
  if (rule.limits?.firstPurchases === undefined || isUnconditional(rule)) return [];
  const detail =
    'counts every purchase of the referred user: one that the conditions refuse uses up its place';
  return [warning('FIRST_PURCHASES_COUNT_ALL', `${at}/limits/firstPurchases`, detail)];
}

function isUnconditional({ conditions = {} }: CampaignRule): boolean {
  return Object.keys(conditions).length === 0;
}

function rolesOf({ recipient }: CampaignRule): ('referrer' | 'new-user')[] {
  return recipient === 'both' ? ['referrer', 'new-user'] : [recipient];
}

function warning(code: CampaignWarningCode, pointer: string, detail: string): CampaignWarning {
  return { code, pointer, detail };
}
