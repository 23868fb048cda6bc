import type { RewardActionRecord } from '@tributary/contracts/issuance-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { deliveryLines } from './delivery-lines.ts';
import { isCutToNothing } from './granted-credits.ts';
import type { IssuanceStory, RewardStory } from './story.ts';
import { credits, indent, type NameOf, plain, quoted, testLines } from './words.ts';

/** One reward from its rule to the customer's webhook. */
export function rewardLines({ reward, issuances, actions }: RewardStory, nameOf: NameOf): string[] {
  const { ruleId, campaignId, campaignRevision } = reward;
  const by = `rule ${quoted(ruleId)} of campaign ${quoted(campaignId)}, revision ${campaignRevision}`;
  return [
    `Reward ${plain(reward.rewardId)}: ${credits(reward.entitledCredits)} for ${recipientOf(reward, nameOf)}`,
    ...indent([
      `by ${by}`,
      ...testLines(reward.tests),
      ...calculationLines(reward),
      ...settlementLines(reward),
      `State: ${stateOf(reward, actions)}.`,
      `Ledger: ${ledgerOf(reward)}.`,
      ...actions.map(actionLine),
      ...issuances.flatMap(issuanceLines),
    ]),
  ];
}

function recipientOf({ recipientRole, recipientId }: RewardRecord, nameOf: NameOf): string {
  return `${recipientRole === 'referrer' ? 'the referrer' : 'the new user'}, ${nameOf(recipientId)}`;
}

/** Step by step, with the amounts before and after. */
function calculationLines({ calculation }: RewardRecord): string[] {
  const amounts = calculation.map(
    ({ credits: after }, i) => `${calculation[i - 1]?.credits ?? '0'} → ${after}`,
  );
  const width = Math.max(0, ...amounts.map(({ length }) => length));
  return calculation.map(({ step, detail }, i) => {
    const amount = (amounts[i] ?? '').padEnd(width);
    return `${i + 1}. ${step.padEnd(stepWidth)}  ${amount}  ${plain(detail)}`;
  });
}

const stepWidth = 'withdrawal'.length;

/**
 * What else rewards has to say. Its explanation begins with the fact and goes on with the steps,
 * both of which are told above; behind them stands how it was settled.
 */
function settlementLines({ explanation, calculation }: RewardRecord): string[] {
  const steps = calculation.map(({ detail }) => detail);
  const last = explanation.findLastIndex((sentence) => steps.includes(sentence));
  return explanation.slice(last + 1).map(plain);
}

const reviewWords = {
  'referral-loop': 'the two users refer each other',
  'recovered-signup': 'no backend reported the signup; the widget recovered it from a link',
  'revision-published-later': 'its campaign revision was published after the event was received',
} as const;

function stateOf(reward: RewardRecord, actions: readonly RewardActionRecord[]): string {
  const last = actions.at(-1);
  switch (reward.state) {
    case 'held':
      if (last?.type === 'released') return 'held; an operator released it, so it is issued next';
      return reward.maturesAt === undefined
        ? 'held; issued next'
        : `held until ${reward.maturesAt}, then issued`;
    case 'review': {
      const reasons = (reward.reviewReasons ?? []).map((reason) => reviewWords[reason]);
      return `in review, it waits for an operator: ${reasons.join('; ') || 'no reason was given'}`;
    }
    case 'withheld':
      return 'withheld by an operator; what is not issued stays so';
    case 'issued':
      return 'issued';
    case 'reversed':
      return isCutToNothing(reward)
        ? 'nothing; a limit left no room for it'
        : 'reversed; nothing of it is left to earn';
    default:
      return reward.state satisfies never;
  }
}

/** The part of a reward that is not issued: settled by netting, or still to come. */
function ledgerOf({ entitledCredits, issuedCredits, state }: RewardRecord): string {
  const sum = `entitled ${entitledCredits}, issued ${issuedCredits}`;
  if (entitledCredits === issuedCredits) return `${sum}, nothing is open`;
  const open = difference(entitledCredits, issuedCredits);
  if (open.startsWith('-')) {
    return `${sum}: ${open.slice(1)} more than entitled, which later rewards are netted with`;
  }
  if (state === 'issued') return `${sum}, ${open} went into what the recipient owed`;
  return `${sum}, ${open} ${state === 'held' ? 'to come' : `kept back (${state})`}`;
}

function actionLine({ type, by, note, at }: RewardActionRecord): string {
  const why = note === undefined ? '' : `: ${plain(note)}`;
  const what = type === 'released' ? 'Released' : 'Withheld';
  return `${what} by ${plain(by)} at ${at}${why}.`;
}

function issuanceLines({ issuance, deliveries }: IssuanceStory): string[] {
  const { credits: amount, issuedAt, issuanceId, webhookEventId } = issuance;
  return [
    `Issued ${credits(amount)} at ${issuedAt} (issuance ${issuanceId}).`,
    ...indent(deliveryLines(webhookEventId, deliveries)),
  ];
}

/** Exact difference of two decimals. */
function difference(a: string, b: string): string {
  const places = Math.max(placesOf(a), placesOf(b));
  const value = scaled(a, places) - scaled(b, places);
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

function placesOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

function scaled(text: string, places: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(places, '0')}`);
}
