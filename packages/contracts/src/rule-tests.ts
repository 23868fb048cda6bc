import type { CampaignRule, RuleConditions } from './campaign-rule.ts';
import type { DecisionRecord, DecisionTest } from './decision-record.ts';
import { formatMoney } from './money.ts';

/** What of a decision a rule looks at. */
export type RuledFact = Pick<DecisionRecord, 'eventType' | 'purchase'>;

/**
 * Whether a rule's trigger and conditions hold for a fact: every test with its result, in words. A
 * rule applies when all pass. Limits are no part of it: they look at other facts too.
 */
export function ruleTests(rule: CampaignRule, fact: RuledFact): DecisionTest[] {
  const triggered = rule.trigger === fact.eventType;
  const trigger: DecisionTest = {
    test: 'trigger',
    passed: triggered,
    detail: triggered
      ? `the rule is for ${nouns[rule.trigger]}s`
      : `the rule is for ${nouns[rule.trigger]}s, this is a ${nouns[fact.eventType]}`,
  };
  if (!triggered) return [trigger];
  return [trigger, ...conditionTests(rule.conditions ?? {}, fact.purchase)];
}

export function ruleApplies(rule: CampaignRule, fact: RuledFact): boolean {
  return ruleTests(rule, fact).every(({ passed }) => passed);
}

const nouns = {
  'purchase-created': 'purchase',
  'signup-created': 'signup',
  'demo-attended': 'demo',
  'purchase-refunded': 'refund',
} as const;

function conditionTests(
  conditions: RuleConditions,
  purchase: RuledFact['purchase'],
): DecisionTest[] {
  const { intervals, productKeys, currencies, minimumAmounts, minimumSeats } = conditions;
  const subscription = purchase?.subscription;
  const tests: DecisionTest[] = [];
  if (intervals) tests.push(oneOf('interval', 'interval', intervals, subscription?.interval));
  if (productKeys) tests.push(oneOf('product', 'product', productKeys, subscription?.productKey));
  if (currencies) tests.push(oneOf('currency', 'currency', currencies, purchase?.currency));
  if (minimumAmounts) tests.push(minimumAmountTest(minimumAmounts, purchase));
  if (minimumSeats !== undefined) tests.push(seatsTest(minimumSeats, subscription?.seatsUsed));
  return tests;
}

function oneOf(
  test: string,
  noun: string,
  wanted: readonly string[],
  found: string | undefined,
): DecisionTest {
  const passed = found !== undefined && wanted.includes(found);
  const list = wanted.map((one) => JSON.stringify(one)).join(' or ');
  const is = found === undefined ? `no ${noun} was reported` : `it is ${JSON.stringify(found)}`;
  return { test, passed, detail: `the ${noun} must be ${list}; ${is}` };
}

function minimumAmountTest(
  minimumAmounts: Readonly<Record<string, number>>,
  purchase: RuledFact['purchase'],
): DecisionTest {
  const test = 'minimum amount';
  if (!purchase) return { test, passed: false, detail: 'nothing was paid' };
  const { amount, currency } = purchase;
  const paid = formatMoney(amount, currency);
  const minimum = Object.hasOwn(minimumAmounts, currency) ? minimumAmounts[currency] : undefined;
  if (minimum === undefined) {
    return { test, passed: false, detail: `the rule names no amount in ${currency}; paid ${paid}` };
  }
  const detail = `at least ${formatMoney(minimum, currency)} must be paid; paid ${paid}`;
  return { test, passed: amount >= minimum, detail };
}

/** Seats have no upper bound, so they are compared as integers of any size. */
function seatsTest(minimumSeats: number, seatsUsed: string | undefined): DecisionTest {
  const passed = seatsUsed !== undefined && BigInt(seatsUsed) >= BigInt(minimumSeats);
  const is = seatsUsed === undefined ? 'no seats were reported' : `there are ${seatsUsed}`;
  return { test: 'seats', passed, detail: `at least ${minimumSeats} seats are needed; ${is}` };
}
