import type { AnswerOf } from '../../packages/admin-client/src/create-admin-client.ts';
import { exponents } from './random-events.ts';

type Story = AnswerOf<'explain'>['stories'][number];
type RewardOfStory = Story['rewards'][number];
type Posting = AnswerOf<'listPostings'>['postings'][number];
type Payment = { amount: number; currency: string };

const kinds: Readonly<Record<string, string>> = {
  'purchase-created': 'Purchase',
  'signup-created': 'Signup',
  'demo-attended': 'Demo',
  'purchase-refunded': 'Refund',
};
const outcomes: Readonly<Record<string, string>> = {
  ...{ attributed: 'Attributed', 'not-attributed': 'Not attributed', waiting: 'Waiting' },
};
const reasons: Readonly<Record<string, string>> = {
  ...{ 'unknown-code': 'The code is not known', 'code-disabled': 'The code is disabled' },
  ...{ 'self-referral': 'Self-referral', duplicate: 'Duplicate' },
  'refund-without-purchase': 'The purchase has not come',
};
const states: Readonly<Record<string, string>> = {
  ...{ held: 'Held', review: 'In review', issued: 'Issued', withheld: 'Withheld' },
  ...{ reversed: 'Reversed', capped: 'Capped' },
};
const openAs: Readonly<Record<string, string>> = {
  ...{ held: 'held', review: 'in review', withheld: 'withheld' },
  offset: 'offset against what was owed',
  correction: 'issued with the next release',
  excess: 'issued beyond what is due',
};
const accounts: Readonly<Record<string, string>> = {
  ...{ entitled: 'Entitled', owed: 'Owed', issued: 'Issued' },
};

/** Behind “by”, of whom there is no name. */
const nameless: Readonly<Record<string, string>> = {
  'configured-token': 'the static token of the deployment',
};

/** Whom the API says that an actor is, as the page says it behind “by”. */
export function actorLine({ actorKind, actorName }: AnswerOf<'showActor'>): string {
  return actorName ?? word(nameless, actorKind);
}

/**
 * What a page must show of a chain, part by part, as readLines gives it. `actors` has what the page
 * calls whoever acted, by the ids that the chain has.
 */
export function toldLines(
  story: Story,
  actors: ReadonlyMap<string, string>,
): Record<string, string[]> {
  const issued = story.rewards.flatMap(({ issuances }) => issuances);
  return {
    '1. What was reported': reported(story),
    '2. What was decided': decided(story),
    '3. What it earned': [
      ...story.rewards.flatMap((reward) => earned(reward, actors)),
      ...(story.rewards.length === 0 ? ['No rule gave anything for it.'] : []),
      ...story.silentRules.flatMap(({ ruleId, tests }) => [
        `Rule ${ruleId} gave nothing`,
        ...testLines(tests),
      ]),
    ],
    '4. What was issued, and the webhook': [
      ...issued.flatMap(issuedLines),
      ...(issued.length === 0 ? ['Nothing has been issued for it.'] : []),
    ],
  };
}

export function postingLines(postings: readonly Posting[]): string[] {
  if (postings.length === 0) return ['Nothing has been posted for it.'];
  const lines = postings.flatMap(({ at, recipientId, entries }) =>
    entries.map(({ account, campaignId, credits }, index) => {
      const head = index === 0 ? [at, recipientId] : ['', ''];
      return [...head, word(accounts, account), campaignId, credits].join(' | ');
    }),
  );
  return [...lines, 'Sum of each posting: 0'];
}

function reported({ fact }: Story): string[] {
  if (!fact) return ['The event itself has not been read yet.'];
  const payment =
    fact.eventType === 'purchase-created'
      ? fact.purchase
      : fact.eventType === 'purchase-refunded'
        ? fact.refund
        : undefined;
  return [
    `Event: ${fact.eventId}`,
    `Kind: ${word(kinds, fact.eventType)}`,
    'Reported by: API v2',
    `Access key: ${fact.accessKeyId}`,
    `Occurred: ${fact.occurredAt}`,
    `Received: ${fact.receivedAt}`,
    `New user: ${fact.newUser.id}`,
    `Code: ${fact.ucc}`,
    ...(payment ? [`Invoice: ${payment.invoiceId}`, `Amount: ${money(payment)}`] : []),
    ...(fact.warnings ?? []).map(({ code, detail }) => `Warnings: ${code}: ${detail}`),
  ];
}

function decided({ decision, refunds, duplicates }: Story): string[] {
  if (!decision) return ['It has not been decided yet.'];
  const { outcome, reason, referrerId, campaignId, campaignRevision } = decision;
  const revision = campaignRevision === undefined ? '' : `, revision ${campaignRevision}`;
  return [
    `Outcome: ${word(outcomes, outcome)}`,
    ...(reason ? [`Reason: ${word(reasons, reason)}`] : []),
    ...(referrerId ? [`Referrer: ${referrerId}`] : []),
    ...(campaignId ? [`Campaign: ${campaignId}${revision}`] : []),
    `Version: ${decision.version}`,
    ...testLines(decision.tests),
    ...refunds.map((each) => `Refunds of it: ${related(each)}`),
    ...duplicates.map((each) => `Reported again: ${related(each)}`),
  ];
}

function related({ eventId, occurredAt, payment, source }: Story['refunds'][number]): string {
  const paid = payment ? `, ${money(payment)}` : '';
  return `${eventId}, ${occurredAt}${paid} (Reported by ${source})`;
}

function earned(
  { reward, open, recipientOwes, actions }: RewardOfStory,
  actors: ReadonlyMap<string, string>,
): string[] {
  return [
    `Reward: ${reward.rewardId}`,
    `State: ${word(states, reward.state)}`,
    `Recipient: ${reward.recipientId}`,
    `Rule: ${reward.ruleId}`,
    `Entitled: ${reward.entitledCredits}`,
    `Issued credits: ${reward.issuedCredits}`,
    ...(reward.maturesAt ? [`Matures: ${reward.maturesAt}`] : []),
    ...open.map(({ as, credits }) => `Open: ${credits} ${word(openAs, as)}`),
    ...(open.length > 0 && recipientOwes !== '0' ? [`Recipient owes: ${recipientOwes}`] : []),
    ...reward.calculation.map(
      ({ step, detail, credits }, index) => `${index + 1}. ${step} – ${detail} | ${credits}`,
    ),
    ...testLines(reward.tests),
    ...actions.map(({ type, by, at, note }) => {
      const what = type === 'released' ? 'Released' : 'Withheld';
      const who = actors.get(by);
      if (who === undefined) throw new Error(`the API was not asked who ${by} is`);
      return `${at}: ${what} by ${who}${note === undefined ? '' : ` – ${note}`}`;
    }),
  ];
}

function issuedLines({ issuance, deliveries }: RewardOfStory['issuances'][number]): string[] {
  return [
    `Issuance: ${issuance.issuanceId}`,
    `Issued credits: ${issuance.credits}`,
    `Issued: ${issuance.issuedAt}`,
    `Webhook event: ${issuance.webhookEventId}`,
    ...deliveries.map((step) => {
      if (step.type !== 'attempted') throw new Error(`nobody did this here: ${step.type}`);
      const { startedAt, attempt, outcome, statusCode, durationMs } = step;
      return `${startedAt}: Attempt ${attempt} ${outcome} (status ${statusCode}, ${durationMs} ms)`;
    }),
  ];
}

function testLines(tests: readonly { test: string; passed: boolean; detail: string }[]): string[] {
  return tests.map(({ test, passed, detail }) => `${passed ? '✓' : '✗'}${test} – ${detail}`);
}

/** Minor units as people read them, without ever being a fraction. */
function money({ amount, currency }: Payment): string {
  const exponent = exponents[currency]!;
  const digits = String(amount).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  return `${whole}${exponent === 0 ? '' : `.${digits.slice(-exponent)}`} ${currency}`;
}

function word(words: Readonly<Record<string, string>>, key: string): string {
  const found = words[key];
  if (found === undefined) throw new Error(`the pages have no word for ${key}`);
  return found;
}
