import type { Payment } from '@tributary/contracts/event-record';
import type { Reversal } from '@tributary/contracts/decision-record';
import { rewardLines } from './reward-lines.ts';
import type { Related, Story } from './story.ts';
import { currencyMismatch, waitsFor } from './waits-for.ts';
import {
  indent,
  money,
  type NameOf,
  plain,
  quoted,
  subscriptionText,
  testLines,
} from './format.ts';

/** One event from the fact to the deliveries of what it earned. */
export function storyLines(story: Story, nameOf: NameOf): string[] {
  const sections = [
    factLines(story, nameOf),
    [...decisionLines(story, nameOf), ...indent(laterCodeLines(story))],
    refundLines(story),
    duplicateLines(story),
    ...(isRefund(story) ? [takenBackLines(story)] : rewardSections(story, nameOf)),
    silentLines(story),
    waitsFor(story),
  ];
  const body = sections.filter((lines) => lines.length > 0).flatMap((lines) => ['', ...lines]);
  return [`Event ${story.eventId}`, ...indent(body.slice(1))];
}

function factLines({ fact, decision }: Story, nameOf: NameOf): string[] {
  const shown = fact ?? decision;
  if (shown === undefined) return ['Nothing is known about this event.'];
  const userId = fact?.newUser.id ?? decision?.newUserId ?? '';
  const organization = fact?.newUser.organizationId ?? decision?.organizationId;
  const of = organization === undefined ? '' : ` of organization ${quoted(organization)}`;
  return [
    `${capital(nameOf(userId))}${of} ${deedOf(shown)}.`,
    `It occurred at ${shown.occurredAt} and was received at ${shown.receivedAt} (source ${shown.source}).`,
    shown.ucc === ''
      ? 'It names no referral code.'
      : `It names referral code ${quoted(shown.ucc)}.`,
    ...(fact?.warnings ?? []).map(({ code, detail }) => `Warning ${plain(code)}: ${plain(detail)}`),
  ];
}

function deedOf(shown: NonNullable<Story['fact'] | Story['decision']>): string {
  switch (shown.eventType) {
    case 'signup-created':
      return 'signed up';
    case 'demo-attended':
      return 'attended a demo';
    case 'purchase-created':
      return `paid ${paymentText(shown.purchase)}`;
    case 'purchase-refunded':
      return `was refunded ${paymentText(shown.refund)}`;
    default:
      return 'did something';
  }
}

function paymentText(payment: Payment | undefined): string {
  if (payment === undefined) return 'an amount';
  const invoice =
    payment.invoiceId === undefined ? 'no invoice id' : `invoice ${quoted(payment.invoiceId)}`;
  const subscription = subscriptionText(payment);
  return `${money(payment)} (${invoice}${subscription === '' ? '' : `, ${subscription}`})`;
}

const reasonTexts = {
  'unknown-code': 'nobody has the code',
  'code-disabled': 'the code was disabled',
  'self-referral': 'the user referred themselves',
  'campaign-not-running': 'the campaign was not running',
  'outside-window': 'the purchase came too long after the first event of the user',
  'existing-user': 'the user existed before',
  duplicate: 'another event reports the same, and counts instead',
  'refund-without-purchase': 'the purchase that it reverses has not arrived',
  internal: 'the decision failed',
} as const;

function reasonSentence(reason: keyof typeof reasonTexts, flags: readonly string[]): string {
  // Attribution has one reason for both: there is no purchase that this refund could reverse.
  return flags.includes(currencyMismatch)
    ? 'the purchase of its invoice was paid in another currency'
    : reasonTexts[reason];
}

function decisionLines({ decision }: Story, nameOf: NameOf): string[] {
  if (decision === undefined) return [];
  const { version, reason, duplicateOf, refundOf, boundUcc, flags, review = [] } = decision;
  return [
    `Decision (version ${version}): ${outcomeText(decision, nameOf)}${reason === undefined ? '' : `, ${reason}: ${reasonSentence(reason, flags)}`}.`,
    ...indent([
      ...testLines(decision.tests),
      ...(boundUcc === undefined
        ? []
        : [`Decided by code ${quoted(boundUcc)}, the user's first valid one.`]),
      ...(duplicateOf === undefined ? [] : [`The event that counts is ${duplicateOf}.`]),
      ...(refundOf === undefined ? [] : [`It follows the decision on purchase ${refundOf}.`]),
      ...(review.length === 0 ? [] : [`For an operator to review: ${review.join(', ')}.`]),
      ...(flags.length === 0 ? [] : [`Flags: ${flags.map(plain).join(', ')}.`]),
    ]),
  ];
}

/** Whoever is refused for a disabled code asks next what has become of the code since. */
function laterCodeLines({ decision, codeChanges }: Story): string[] {
  // The changes are those of the event's own code.
  if (decision?.reason !== 'code-disabled' || decision.boundUcc !== undefined) return [];
  return codeChanges
    .filter(({ at }) => at > decision.receivedAt)
    .map(({ type, ucc, at }) => {
      const what = type === 'code-issued' ? 'enabled' : 'disabled';
      return `Code ${quoted(ucc)} was ${what} again at ${at}.`;
    });
}

function outcomeText(decision: NonNullable<Story['decision']>, nameOf: NameOf): string {
  const { outcome, referrerId, campaignId, campaignRevision } = decision;
  const campaign =
    campaignId === undefined
      ? ''
      : ` by campaign ${quoted(campaignId)}${campaignRevision === undefined ? '' : `, revision ${campaignRevision}`}`;
  if (outcome !== 'attributed') return outcome.replace('-', ' ');
  return `attributed to ${referrerId === undefined ? 'nobody' : nameOf(referrerId)}${campaign}`;
}

/** How refunds took the purchase back, and those that changed nothing. */
function refundLines({ decision, refunds }: Story): string[] {
  if (refunds.length === 0) return [];
  const steps = new Map((decision?.reversals ?? []).map((step) => [step.eventId, step]));
  return ['Refunds', ...indent(refunds.map((refund) => refundLine(refund, steps, decision)))];
}

function refundLine(
  refund: Related,
  steps: ReadonlyMap<string, Reversal>,
  decision: Story['decision'],
): string {
  const { eventId, payment, occurredAt, source, flags } = refund;
  const amount = payment === undefined ? 'an amount' : money(payment);
  const head = `${amount} at ${occurredAt} from ${plain(source)}, event ${eventId}`;
  const marks = flags.length === 0 ? '' : ` (${flags.map(plain).join(', ')})`;
  const step = steps.get(eventId);
  const paid = decision?.purchase;
  if (step === undefined || paid === undefined) {
    const why = whyNothing(refund, paid);
    return `${head}: takes nothing back: ${why}${marks}`;
  }
  const soFar = money({ amount: step.reversedAmount, currency: paid.currency });
  return `${head}: ${soFar} of ${money(paid)} have been taken back so far${step.full ? ', which is all of it' : ''}${marks}`;
}

function whyNothing({ reason, flags }: Related, paid: Payment | undefined): string {
  if (reason === undefined) return 'it adds nothing to what other refunds took back';
  if (!flags.includes(currencyMismatch)) return reason;
  return `the purchase was paid in ${paid === undefined ? 'another currency' : plain(paid.currency)}`;
}

function duplicateLines({ duplicates }: Story): string[] {
  if (duplicates.length === 0) return [];
  return [
    'Also reported, but not counted again',
    ...indent(
      duplicates.map(({ eventId, source, occurredAt, flags }) => {
        const marks = flags.length === 0 ? '' : ` (${flags.map(plain).join(', ')})`;
        return `event ${eventId} from ${plain(source)}, occurred at ${occurredAt}${marks}`;
      }),
    ),
  ];
}

function isRefund({ fact, decision }: Story): boolean {
  return (fact ?? decision)?.eventType === 'purchase-refunded';
}

function rewardSections({ decision, rewards }: Story, nameOf: NameOf): string[][] {
  if (rewards.length > 0) return rewards.map((reward) => rewardLines(reward, nameOf));
  return decision?.outcome === 'attributed' ? [['No reward is known.']] : [];
}

/** What a refund took of each reward of its purchase. */
function takenBackLines({ eventId, rewards }: Story): string[] {
  const lines = rewards.flatMap(({ reward }) =>
    reward.calculation.flatMap((step, i) => {
      if (step.eventId !== eventId) return [];
      const before = reward.calculation[i - 1]?.credits ?? '0';
      return [
        `reward ${plain(reward.rewardId)}: ${plain(step.detail)}: ${before} → ${step.credits}`,
      ];
    }),
  );
  return lines.length === 0 ? [] : ['What it took back', ...indent(lines)];
}

function silentLines({ silentRules }: Story): string[] {
  if (silentRules.length === 0) return [];
  return [
    'Rules that gave nothing',
    ...indent(
      silentRules.flatMap(({ ruleId, tests }) => [
        `rule ${quoted(ruleId)}`,
        ...indent(testLines(tests)),
      ]),
    ),
  ];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
