import type { RewardActionRecord } from '@tributary/contracts/issuance-record';
import type { ShownReward } from '@tributary/contracts/reward-state';
import { isPositive } from '../exact-decimal.ts';
import type { OpenPart } from '../open-credits.ts';
import { deliveryLines } from './delivery-lines.ts';
import type { IssuanceStory, RewardStory } from './story.ts';
import { credits, indent, type NameOf, plain, quoted, testLines } from './format.ts';

/** One reward from its rule to the customer's webhook. */
export function rewardLines(story: RewardStory, nameOf: NameOf): string[] {
  const { reward, issuances, actions } = story;
  const { ruleId, campaignId, campaignRevision } = reward;
  const by = `rule ${quoted(ruleId)} of campaign ${quoted(campaignId)}, revision ${campaignRevision}`;
  return [
    `Reward ${plain(reward.rewardId)}: ${credits(reward.entitledCredits)} for ${recipientOf(reward, nameOf)}`,
    ...indent([
      `by ${by}`,
      ...testLines(reward.tests),
      ...calculationLines(reward),
      ...settlementLines(reward),
      `State: ${stateOf(story)}.`,
      `Ledger: ${ledgerOf(story)}.`,
      ...actions.map(actionLine),
      ...issuances.flatMap(issuanceLines),
    ]),
  ];
}

function recipientOf({ recipientRole, recipientId }: ShownReward, nameOf: NameOf): string {
  return `${recipientRole === 'referrer' ? 'the referrer' : 'the new user'}, ${nameOf(recipientId)}`;
}

/** Step by step, with the amounts before and after. */
function calculationLines({ calculation }: ShownReward): string[] {
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
function settlementLines({ explanation, calculation }: ShownReward): string[] {
  const steps = calculation.map(({ detail }) => detail);
  const last = explanation.findLastIndex((sentence) => steps.includes(sentence));
  return explanation.slice(last + 1).map(plain);
}

const reviewTexts = {
  'referral-loop': 'the two users refer each other',
  'recovered-signup': 'no backend reported the signup; the widget recovered it from a link',
  'revision-published-later': 'its campaign revision was published after the event was received',
} as const;

function stateOf({ reward, open, actions }: RewardStory): string {
  const last = actions.at(-1);
  switch (reward.state) {
    case 'held':
      if (last?.type === 'released')
        return 'held; an operator released it, so it will be issued next';
      return reward.maturesAt === undefined
        ? 'held; will be issued next'
        : `held until ${reward.maturesAt}, then issued`;
    case 'review':
      return `in review, waiting for an operator: ${reasonsOf(reward)}`;
    case 'withheld':
      return 'withheld by an operator; what has not been issued stays withheld';
    case 'issued':
      return ['issued', ...open.flatMap((part) => growthOf(reward, part))].join('; ');
    case 'reversed':
      return 'reversed; nothing of it is left';
    case 'capped':
      return 'capped; a limit left no room for it';
    default:
      return reward.state satisfies never;
  }
}

function reasonsOf({ reviewReasons = [] }: ShownReward): string {
  return reviewReasons.map((reason) => reviewTexts[reason]).join('; ') || 'no reason was given';
}

/** What a settled reward has grown by and was not issued yet. */
function growthOf(reward: ShownReward, { as, credits: amount }: OpenPart): string[] {
  switch (as) {
    case 'review':
      return [
        `${credits(amount)} more are in review, waiting for an operator: ${reasonsOf(reward)}`,
      ];
    case 'withheld':
      return [`${credits(amount)} more are withheld by an operator`];
    case 'correction':
      return [`${credits(amount)} more will be issued next`];
    default:
      return [];
  }
}

function ledgerOf({ reward, open, recipientOwes }: RewardStory): string {
  const sum = `entitled ${reward.entitledCredits}, issued ${reward.issuedCredits}`;
  const owes = isPositive(recipientOwes);
  const parts = open.map(({ as, credits: amount }) => {
    switch (as) {
      case 'held':
        return `${amount} still to be issued`;
      case 'review':
      case 'withheld':
        return `${amount} kept back (${as})`;
      case 'offset':
        return `${amount} offset against what the recipient owed`;
      case 'correction':
        return `${amount} due as a correction`;
      case 'excess':
        // The recipient owes over all rewards: some of this may have been deducted already.
        return owes
          ? `${amount} more than entitled; the recipient still owes ${recipientOwes}, which will be deducted from later rewards`
          : `${amount} more than entitled, all of which was deducted from other rewards`;
      default:
        return as satisfies never;
    }
  });
  if (parts.length === 0) return `${sum}, nothing is open`;
  if (open[0]?.as === 'excess') return `${sum}: ${parts.join(', ')}`;
  const netted = owes ? `; the recipient owes ${recipientOwes}, which is offset first` : '';
  return `${sum}, ${parts.join(', ')}${netted}`;
}

function actionLine({ type, by, note, at }: RewardActionRecord): string {
  const why = note === undefined ? '' : `: ${plain(note)}`;
  const what = type === 'released' ? 'Released' : 'Withheld';
  return `${what} by ${plain(by)} at ${at}${why}.`;
}

/** One issuance, and how the customer was told. */
export function issuanceLines({ issuance, deliveries }: IssuanceStory): string[] {
  const { credits: amount, issuedAt, issuanceId, webhookEventId } = issuance;
  return [
    `Issued ${credits(amount)} at ${issuedAt} (issuance ${issuanceId}).`,
    ...indent(deliveryLines(webhookEventId, deliveries)),
  ];
}
