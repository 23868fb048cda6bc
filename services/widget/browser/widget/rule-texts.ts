import type { RewardWords, WidgetSession } from '@tributary/contracts/public/widget-session';
import type { Language } from './language.ts';
import type { TextKey } from './languages/en.ts';
import { minorUnitDigits } from './minor-units.ts';

type Reward = RewardWords['reward'];
type Share = { credits?: string; percent?: string };
type Conditions = NonNullable<RewardWords['conditions']>;

/** The programme in one or two sentences: what the first rule of either side gives. */
export function summaryInWords(session: WidgetSession, language: Language): string {
  return summarySentences(session, language).join(' ');
}

/**
 * What it offers to either side, sentence by sentence; the tenant's own words stand in for ours.
 */
export function offersInWords(session: WidgetSession, language: Language): string[] {
  const discount = discountInWords(session, language);
  const summary = language.own('reward.summary');
  return [
    ...(discount === undefined ? [] : [language.own('newUser.benefit') ?? discount]),
    ...(summary === undefined ? summarySentences(session, language) : [summary]),
  ];
}

function summarySentences({ rules }: WidgetSession, language: Language): string[] {
  const mine = rules.find(({ recipient }) => recipient === 'referrer');
  const theirs = rules.find(({ recipient }) => recipient === 'new-user');
  const sentences = [mine, theirs].flatMap((rule) => (rule ? [earning(rule, language)] : []));
  return sentences.length > 0 ? sentences : [language.text('reward.none')];
}

/** What a new user saves; undefined: nothing. */
export function discountInWords(session: WidgetSession, language: Language): string | undefined {
  const { newUserDiscount: discount } = session;
  if (discount === null || discount.percentage <= 0) return undefined;
  const percent = language.percent(discount.percentage);
  if (discount.months === null) return language.text('newUser.discount', { percent });
  return language.text('newUser.discountMonths', { percent, count: discount.months });
}

/**
 * Each rule of the campaign once, since what it gives to either side belongs together. The tenant's
 * own words for a rule, the text `rule.<ruleId>`, stand in for ours.
 */
export function rulesAsText(
  { rules }: WidgetSession,
  language: Language,
): { ruleId: string; text: string }[] {
  return [...new Set(rules.map(({ ruleId }) => ruleId))].map((ruleId) => {
    const sides = rules.filter((rule) => rule.ruleId === ruleId);
    const text =
      language.own(`rule.${ruleId}`) ?? sides.map((one) => inWords(one, language)).join(' ');
    return { ruleId, text };
  });
}

/** What `getLabels` tells (interface 4.7 rule 4). */
export function labelsOf(session: WidgetSession, language: Language): Record<string, string> {
  const discount = discountInWords(session, language);
  return {
    ...language.all(),
    ...Object.fromEntries(
      rulesAsText(session, language).map(({ ruleId, text }) => [`rule.${ruleId}`, text]),
    ),
    'reward.summary': language.own('reward.summary') ?? summaryInWords(session, language),
    ...(discount !== undefined && {
      'newUser.benefit': language.own('newUser.benefit') ?? discount,
    }),
  };
}

/** Who gets what for what, then what it depends on. */
function inWords(rule: RewardWords, language: Language): string {
  return [
    earning(rule, language),
    ...laterTiers(rule.reward, language),
    ...rates(rule.reward, language),
    ...conditions(rule.conditions ?? {}, language),
    ...(rule.holdDays > 0 ? [language.text('earn.hold', { count: rule.holdDays })] : []),
  ].join(' ');
}

const triggers = {
  'signup-created': 'signup',
  'demo-attended': 'demo',
  'purchase-created': 'purchase',
} as const;

function earning(rule: RewardWords, language: Language): string {
  const who = rule.recipient === 'referrer' ? 'referrer' : 'friend';
  const reward = shareInWords(shares(rule.reward)[0] ?? {}, language);
  const { firstPurchases } = rule;
  if (rule.trigger === 'purchase-created' && firstPurchases !== undefined) {
    return language.text(`earn.${who}.firstPurchases`, { reward, count: firstPurchases });
  }
  return language.text(`earn.${who}.${triggers[rule.trigger]}`, { reward });
}

function shareInWords({ credits, percent }: Share, language: Language): string {
  if (credits !== undefined) return language.text('reward.fixed', { count: credits });
  // Basis points at most: what the division of such a number leaves is gone at two decimals.
  const fraction = Number(percent ?? '0') / 100;
  return language.text('reward.percent', { percent: language.percent(fraction) });
}

/** What a rule gives, of a tiered one the lowest tier first. */
function shares(reward: Reward): (Share & { fromCount?: number })[] {
  if (reward.kind !== 'tiered') return [reward];
  return [...reward.tiers].sort((a, b) => a.fromCount - b.fromCount);
}

function laterTiers(reward: Reward, language: Language): string[] {
  return shares(reward)
    .slice(1)
    .map((tier) =>
      language.text('earn.tier', {
        reward: shareInWords(tier, language),
        count: tier.fromCount ?? 1,
      }),
    );
}

/** How money becomes credits, unless it is one for one in every currency. */
function rates(reward: Reward, language: Language): string[] {
  if (reward.kind !== 'percent') return [];
  const perUnit = Object.entries(reward.creditsPerMajorUnit);
  if (perUnit.every(([, credits]) => Number(credits) === 1)) return [];
  return perUnit.map(([currency, credits]) =>
    language.text('earn.rate', {
      amount: language.money('1', currency),
      credits: language.text('reward.fixed', { count: credits }),
    }),
  );
}

function conditions(when: Conditions, language: Language): string[] {
  const { intervals = [], productKeys = [], currencies = [], minimumAmounts = {} } = when;
  const amounts = Object.entries(minimumAmounts).map(([currency, minor]) =>
    language.money(majorUnits(minor, minorUnitDigits(currency)), currency),
  );
  const parts: [boolean, () => string][] = [
    [
      intervals.length > 0,
      () => {
        const names = intervals.map((interval) => language.text(intervalKey(interval)));
        return language.text('earn.intervals', { intervals: language.list(names) });
      },
    ],
    [productKeys.length > 0, () => language.text('earn.products')],
    [
      // A minimum names its currencies already.
      currencies.length > 0 && amounts.length === 0,
      () => language.text('earn.currencies', { currencies: language.list(currencies) }),
    ],
    [amounts.length > 0, () => language.text('earn.minimum', { amounts: language.list(amounts) })],
    [
      (when.minimumSeats ?? 1) > 1,
      () => language.text('earn.seats', { count: when.minimumSeats ?? 1 }),
    ],
  ];
  return parts.flatMap(([applies, sentence]) => (applies ? [sentence()] : []));
}

/** `semi-annual` → `interval.semiAnnual`. */
function intervalKey(interval: NonNullable<Conditions['intervals']>[number]): TextKey {
  const name = interval.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return `interval.${name}` as TextKey;
}

/** 1050 minor units of two digits → `10.50`, without floats. */
function majorUnits(minor: number, digits: number): string {
  if (digits === 0) return String(minor);
  const padded = String(minor).padStart(digits + 1, '0');
  return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}
