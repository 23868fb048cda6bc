import type {
  CampaignRule,
  Effect,
  FixedEffect,
  LimitPeriod,
  PercentEffect,
  RuleConditions,
} from '@tributary/contracts/campaign-rule';
import { counted, creditsForHundred, listing, money, ordinal, percent } from './format-campaign.ts';
import { currenciesOf } from './rule-effects.ts';

/** What a rule does, in sentences for somebody who has never seen the file. */
export function describeRule(rule: CampaignRule, creditScale: number): string[] {
  return [
    whoGetsWhat(rule, creditScale),
    ...describeConditions(rule.conditions),
    ...describeReferralLimits(rule),
    ...describeRecipientLimits(rule),
    describeHold(rule.holdDays ?? 0),
    ...(rule.trigger === 'purchase-created' ? [refunds[rule.refundPolicy ?? 'proportional']] : []),
  ];
}

const causes: Record<CampaignRule['trigger'], string> = {
  'purchase-created': 'each purchase',
  'signup-created': 'the signup',
  'demo-attended': 'an attended demo',
};

function whoGetsWhat(rule: CampaignRule, creditScale: number): string {
  const { trigger, recipient, effect, newUserEffect } = rule;
  const amount = (of: Effect) => describeEffect(of, creditScale, rule.conditions);
  const receiver = recipient === 'new-user' ? 'the new user' : 'the referrer';
  const also = newUserEffect === undefined ? '' : `; the new user gets ${amount(newUserEffect)}`;
  return `For ${causes[trigger]} of a referred user, ${receiver} gets ${amount(effect)}${also}.`;
}

function describeEffect(effect: Effect, creditScale: number, conditions?: RuleConditions): string {
  if (effect.kind !== 'tiered') return describePlain(effect, creditScale, conditions);
  const { tiers } = effect;
  const steps = tiers.map(({ fromCount, effect: plain }, i) => {
    const next = tiers[i + 1];
    const from = `from the ${ordinal(fromCount)} on`;
    const until = next === undefined ? undefined : `the ${ordinal(next.fromCount - 1)}`;
    const span = until === undefined ? from : i === 0 ? `up to ${until}` : `${from} up to ${until}`;
    return `${span} ${describePlain(plain, creditScale, conditions)}`;
  });
  return (
    'more with the number of users they have referred who purchased (and were not fully ' +
    `refunded): ${steps.join('; ')}`
  );
}

const shownCurrencies = 5;

function describePlain(
  effect: FixedEffect | PercentEffect,
  creditScale: number,
  conditions?: RuleConditions,
): string {
  if (effect.kind === 'fixed') return counted(effect.credits, 'credit');
  const allowed = currenciesOf(conditions);
  const rated = Object.keys(effect.creditsPerMajorUnit);
  const earning = rated.filter((currency) => allowed?.includes(currency) ?? true);
  if (earning.length === 0) return `${percent(effect.basisPoints)} of the amount of no currency`;
  const examples = earning.slice(0, shownCurrencies).map((currency) => {
    const credits = creditsForHundred(effect, currency, creditScale);
    return `${counted(credits, 'credit')} for 100 ${currency}`;
  });
  const rest = earning.length - examples.length;
  const more = rest > 0 ? [`so on for ${rest} more ${rest === 1 ? 'currency' : 'currencies'}`] : [];
  const others =
    allowed !== undefined && allowed.every((currency) => rated.includes(currency))
      ? ''
      : ' (other currencies earn nothing)';
  return `${percent(effect.basisPoints)} of the amount: ${listing([...examples, ...more], 'and')}${others}`;
}

function describeConditions(conditions: RuleConditions = {}): string[] {
  const { intervals = [], productKeys = [], currencies = [] } = conditions;
  const { minimumAmounts = {}, minimumSeats } = conditions;
  const amounts = Object.entries(minimumAmounts);
  const parts = [
    intervals.length > 0 && `the interval is ${listing(intervals, 'or')}`,
    productKeys.length > 0 && `the product key is ${listing(productKeys.map(quoted), 'or')}`,
    currencies.length > 0 && `the currency is ${listing(currencies, 'or')}`,
    amounts.length > 0 &&
      `the amount is at least ${listing(
        amounts.map(([currency, minimum]) => money(minimum, currency)),
        'or',
      )} (other currencies do not count)`,
    minimumSeats !== undefined && `it reports at least ${counted(minimumSeats, 'seat')}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? [] : [`Only when ${listing(parts, 'and')}.`];
}

function describeReferralLimits({ limits = {} }: CampaignRule): string[] {
  const { firstPurchases, months } = limits;
  const sentences: string[] = [];
  if (firstPurchases === 1) sentences.push('Only the first purchase of each referred user counts.');
  else if (firstPurchases !== undefined) {
    sentences.push(`Only the first ${firstPurchases} purchases of each referred user count.`);
  }
  if (months !== undefined) {
    sentences.push(
      `It counts until ${counted(months, 'month')} after the first attributed event of the referred user.`,
    );
  }
  return sentences;
}

const periods: Record<LimitPeriod, string> = {
  day: 'per day',
  week: 'per week (from Monday)',
  month: 'per calendar month',
  lifetime: 'in all',
};

const receivers: Record<CampaignRule['recipient'], string> = {
  referrer: 'A referrer gets',
  'new-user': 'A new user gets',
  both: 'A referrer and a new user each get',
};

function describeRecipientLimits({ recipient, limits = {} }: CampaignRule): string[] {
  const entries = limits.perRecipient ?? [];
  if (entries.length === 0) return [];
  const caps = entries.map(({ period, credits, count }) => {
    const measures = [
      ...(credits === undefined ? [] : [counted(credits, 'credit')]),
      ...(count === undefined ? [] : [counted(count, 'reward')]),
    ];
    return `${listing(measures, 'and')} ${periods[period]}`;
  });
  const end = entries.some(({ credits }) => credits !== undefined)
    ? 'the last reward is cut to what is left'
    : 'what comes beyond that earns nothing';
  return [
    `${receivers[recipient]} by this rule at most ${listing(caps, 'and')}, by the UTC time at which ` +
      `things occurred; ${end}.`,
  ];
}

function describeHold(holdDays: number): string {
  if (holdDays === 0) return 'The credits are sent at once.';
  return `The credits are held for ${counted(holdDays, 'day')} after the event was received, then sent.`;
}

const refunds = {
  proportional: 'A refund takes back the refunded share of the credits.',
  full: 'The first refund of a purchase, however small, takes back all of its credits.',
  keep: 'A refund takes nothing back.',
} as const;

function quoted(text: string): string {
  return JSON.stringify(text);
}
