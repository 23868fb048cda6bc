import type {
  CampaignRule,
  FixedEffect,
  PercentEffect,
  RuleConditions,
} from '@tributary/contracts/campaign-rule';

/** An effect that gives credits by itself, where it stands in its rule and who gets them. */
export type PlainEffect = {
  pointer: string;
  role: 'referrer' | 'new-user';
  effect: FixedEffect | PercentEffect;
};

/** Every plain effect of a rule: its own, those of its tiers, that of the new user. */
export function plainEffects(rule: Partial<CampaignRule>, pointer: string): PlainEffect[] {
  const { effect, newUserEffect, recipient } = rule;
  const found: PlainEffect[] = [];
  const role = recipient === 'new-user' ? 'new-user' : 'referrer';
  if (effect?.kind === 'tiered') {
    effect.tiers.forEach((tier, i) =>
      found.push({ pointer: `${pointer}/effect/tiers/${i}/effect`, role, effect: tier.effect }),
    );
  } else if (effect !== undefined) {
    found.push({ pointer: `${pointer}/effect`, role, effect });
  }
  if (newUserEffect !== undefined) {
    found.push({ pointer: `${pointer}/newUserEffect`, role: 'new-user', effect: newUserEffect });
  }
  return found;
}

/** The currencies that a rule's conditions let through; undefined: all of them. */
export function currenciesOf(conditions: RuleConditions = {}): string[] | undefined {
  const { currencies, minimumAmounts } = conditions;
  const listed = currencies === undefined || currencies.length === 0 ? undefined : currencies;
  const named = minimumAmounts === undefined ? [] : Object.keys(minimumAmounts);
  if (named.length === 0) return listed;
  return listed === undefined ? named : listed.filter((currency) => named.includes(currency));
}

export function decimalsOf(credits: string): number {
  return credits.split('.')[1]?.length ?? 0;
}
