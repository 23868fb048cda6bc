import type { WidgetSession } from '@tributary/contracts/public/widget-session';

type Referral = WidgetSession['referrals']['latest'][number];
type Rule = WidgetSession['rules'][number];

/**
 * The session of somebody made up, as the widget's service would answer with these settings. What
 * is no setting is left out: the editor holds anything while somebody types.
 */
export function sampleSession(settings: unknown): WidgetSession {
  const { theme, texts, referredUserName } = recordOf(settings);
  const ownTexts = textsOf(texts);
  return {
    productUserId: 'sample',
    invite: {
      ucc: 'SAMPLE42',
      link: 'https://shop.example/join?ucc=SAMPLE42',
      campaignId: 'sample',
    },
    rules: rulesWith(ownTexts),
    newUserDiscount: { percentage: 0.1, months: 3 },
    credits: { earned: '148.2', held: '12.5', toOffset: '0', issued: '148.2' },
    referrals: {
      total: people.length,
      byState: { 'signed-up': 1, 'demo-attended': 1, purchased: 1, refunded: 1 },
      latest: people.map((each) => ({ ...each, name: nameAs(each.name, referredUserName) })),
    },
    theme: recordOf(theme),
    texts: ownTexts,
  };
}

const people: Referral[] = [
  { name: 'Robin', state: 'purchased', at: '2026-03-21T09:00:00.000Z' },
  { name: 'Kim', state: 'signed-up', at: '2026-03-19T09:00:00.000Z' },
  { name: 'Sasha', state: 'demo-attended', at: '2026-03-12T09:00:00.000Z' },
  { name: 'Alex', state: 'refunded', at: '2026-03-02T09:00:00.000Z' },
];

const sampleRules: Rule[] = [
  {
    ruleId: 'signup',
    trigger: 'signup-created',
    recipient: 'referrer',
    reward: { kind: 'fixed', credits: '5' },
    holdDays: 0,
  },
  {
    ruleId: 'purchase',
    trigger: 'purchase-created',
    recipient: 'referrer',
    reward: { kind: 'percent', percent: '20', creditsPerMajorUnit: { EUR: '1' } },
    firstPurchases: 3,
    holdDays: 14,
  },
];

/** The rules that the settings have words for stand in the place of the made-up ones. */
function rulesWith(texts: WidgetSession['texts']): Rule[] {
  const keys = Object.values(texts).flatMap((own) => Object.keys(own));
  const named = keys.filter((key) => key.startsWith('rule.')).map((key) => key.slice(5));
  const ruleIds = [...new Set(named)];
  if (ruleIds.length === 0) return sampleRules;
  return ruleIds.map((ruleId) => ({ ...sampleRules[0]!, ruleId }));
}

function nameAs(name: string | null, shown: unknown): string | null {
  if (name === null || shown === 'none') return null;
  return shown === 'initial' ? `${name.charAt(0)}.` : name;
}

function textsOf(given: unknown): WidgetSession['texts'] {
  const languages = Object.entries(recordOf(given)).filter(([tag]) => languageTag.test(tag));
  return Object.fromEntries(
    languages.map(([language, own]) => [language, Object.fromEntries(stringsOf(own))]),
  );
}

/** As the contract has it; another text would be no language to a browser. */
const languageTag = /^[a-z]{2,3}(-[A-Z]{2})?$/;

function stringsOf(given: unknown): [string, string][] {
  return Object.entries(recordOf(given)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
}

function recordOf(given: unknown): Record<string, unknown> {
  const isRecord = typeof given === 'object' && given !== null && !Array.isArray(given);
  return isRecord ? (given as Record<string, unknown>) : {};
}
