import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import type { Violation } from '@tributary/contracts/violation';
import type { CampaignSettings } from './campaign-draft.ts';
import { currenciesOf, decimalsOf, plainEffects } from './rule-effects.ts';

/**
 * What the shape of a campaign cannot say. Rules come with those members that have the right shape,
 * so each validation asks only for the members that it needs. A detail never repeats what was sent.
 */
export function validateRules(
  rules: readonly Partial<CampaignRule>[],
  creditScale: number | undefined,
): Violation[] {
  return rules.flatMap((rule, i) => [
    ...validateRuleId(rules, i),
    ...validations.flatMap((validate) => validate(rule, `/rules/${i}`)),
    ...(creditScale === undefined ? [] : validateDecimals(rule, `/rules/${i}`, creditScale)),
  ]);
}

/** How long needs how much; how much without how long is for the customer to say. */
export function validateDiscount(settings: Partial<CampaignSettings>): Violation[] {
  const { newUserDiscountMonth, newUserDiscountBasisPoints } = settings;
  if (newUserDiscountMonth === undefined || newUserDiscountBasisPoints !== undefined) return [];
  const detail =
    'is missing; with newUserDiscountMonth it must say how much a new user saves, 1000 for 10 percent';
  return [{ pointer: '/newUserDiscountBasisPoints', code: 'REQUIRED', detail }];
}

type ValidateRule = (rule: Partial<CampaignRule>, pointer: string) => Violation[];

const validations: readonly ValidateRule[] = [
  validateNewUserEffect,
  validateTiersOfRecipient,
  validateTierOrder,
  validateAmountUse,
  validateConditionUse,
  validateFirstPurchases,
  validatePercentCurrencies,
  validateRecipientLimits,
];

function validateRuleId(rules: readonly Partial<CampaignRule>[], i: number): Violation[] {
  const { ruleId } = rules[i]!;
  const first = rules.findIndex((other) => other.ruleId === ruleId);
  if (ruleId === undefined || first === i) return [];
  const detail = `must differ from the ruleId of rule ${first}: it names what was paid`;
  return [{ pointer: `/rules/${i}/ruleId`, code: 'INVALID_FORMAT', detail }];
}

function validateDecimals(
  rule: Partial<CampaignRule>,
  at: string,
  creditScale: number,
): Violation[] {
  const fixed = plainEffects(rule, at).flatMap(({ pointer, effect }) =>
    effect.kind === 'fixed' ? [{ pointer, credits: effect.credits }] : [],
  );
  const limits = (rule.limits?.perRecipient ?? []).flatMap(({ credits }, j) =>
    credits === undefined ? [] : [{ pointer: `${at}/limits/perRecipient/${j}`, credits }],
  );
  return [...fixed, ...limits]
    .filter(({ credits }) => decimalsOf(credits) > creditScale)
    .map(({ pointer }) => ({
      pointer: `${pointer}/credits`,
      code: 'OUT_OF_RANGE',
      detail: `must have at most ${creditScale} decimals, which is the creditScale of the campaign`,
    }));
}

function validateNewUserEffect({ recipient, newUserEffect }: Partial<CampaignRule>, at: string) {
  const pointer = `${at}/newUserEffect`;
  if (recipient === 'both' && newUserEffect === undefined) {
    const detail =
      'is missing; with recipient "both" it must say what the new user gets, and effect what the referrer gets';
    return [{ pointer, code: 'REQUIRED' as const, detail }];
  }
  if (recipient === undefined || recipient === 'both' || newUserEffect === undefined) return [];
  const detail = 'is allowed only for recipient "both"; for a single recipient, use effect';
  return [{ pointer, code: 'UNKNOWN_FIELD' as const, detail }];
}

function validateTiersOfRecipient({ recipient, effect }: Partial<CampaignRule>, at: string) {
  if (recipient !== 'new-user' || effect?.kind !== 'tiered') return [];
  const detail =
    'must be "fixed" or "percent" for a new user: tiers count the users that a referrer has referred';
  return [{ pointer: `${at}/effect/kind`, code: 'INVALID_ENUM' as const, detail }];
}

function validateTierOrder({ effect }: Partial<CampaignRule>, at: string): Violation[] {
  if (effect?.kind !== 'tiered') return [];
  return effect.tiers.flatMap(({ fromCount }, j): Violation[] => {
    const before = effect.tiers[j - 1];
    if (before === undefined ? fromCount === 1 : fromCount > before.fromCount) return [];
    const detail =
      j === 0
        ? 'must be 1 in the first tier, so that every count has a tier'
        : `must be above the fromCount of tier ${j - 1}`;
    return [{ pointer: `${at}/effect/tiers/${j}/fromCount`, code: 'OUT_OF_RANGE', detail }];
  });
}

/** Only a purchase has an amount. */
function validateAmountUse(rule: Partial<CampaignRule>, at: string): Violation[] {
  if (!hasNoAmount(rule)) return [];
  return plainEffects(rule, at)
    .filter(({ effect }) => effect.kind === 'percent')
    .map(({ pointer }) => ({
      pointer: `${pointer}/kind`,
      code: 'INVALID_ENUM',
      detail: 'must be "fixed": only trigger "purchase-created" has an amount to take a share of',
    }));
}

function validateConditionUse(rule: Partial<CampaignRule>, at: string): Violation[] {
  if (!hasNoAmount(rule)) return [];
  return Object.keys(rule.conditions ?? {}).map((name) => ({
    pointer: `${at}/conditions/${name}`,
    code: 'UNKNOWN_FIELD',
    detail:
      'is only for trigger "purchase-created": it asks for something that only purchases have',
  }));
}

function validateFirstPurchases(rule: Partial<CampaignRule>, at: string): Violation[] {
  if (!hasNoAmount(rule) || rule.limits?.firstPurchases === undefined) return [];
  const detail =
    'is only for trigger "purchase-created": it counts the purchases of a referred user';
  return [{ pointer: `${at}/limits/firstPurchases`, code: 'UNKNOWN_FIELD', detail }];
}

function hasNoAmount({ trigger }: Partial<CampaignRule>): boolean {
  return trigger !== undefined && trigger !== 'purchase-created';
}

/** A percent effect with no rate for any currency that the conditions let through earns nothing. */
function validatePercentCurrencies(rule: Partial<CampaignRule>, at: string): Violation[] {
  const allowed = currenciesOf(rule.conditions);
  // An empty list is a rule that never matches; a warning says so.
  if (allowed === undefined || allowed.length === 0) return [];
  return plainEffects(rule, at).flatMap(({ pointer, effect }): Violation[] => {
    if (effect.kind !== 'percent') return [];
    if (allowed.some((currency) => currency in effect.creditsPerMajorUnit)) return [];
    const detail =
      'must name a currency that the conditions of the rule let through, else it never earns anything';
    return [{ pointer: `${pointer}/creditsPerMajorUnit`, code: 'INVALID_ENUM', detail }];
  });
}

function validateRecipientLimits({ limits }: Partial<CampaignRule>, at: string): Violation[] {
  const entries = limits?.perRecipient ?? [];
  return entries.flatMap(({ period, credits, count }, j): Violation[] => {
    const pointer = `${at}/limits/perRecipient/${j}`;
    const first = entries.findIndex((other) => other.period === period);
    const found: Violation[] = [];
    if (credits === undefined && count === undefined) {
      found.push({ pointer, code: 'REQUIRED', detail: 'must have credits, count or both' });
    }
    if (first !== j) {
      const detail = `must differ from the period of entry ${first}; one entry can limit both credits and count`;
      found.push({ pointer: `${pointer}/period`, code: 'INVALID_ENUM', detail });
    }
    return found;
  });
}
