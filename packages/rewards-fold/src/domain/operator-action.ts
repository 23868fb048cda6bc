import { isCapped, keptBackAs } from '@tributary/contracts/reward-state';
import { formatCredits } from './credits.ts';
import { type Entitlement, heldOf, type RewardAction, stateOf, stubOf } from './entitlement.ts';

/**
 * What an operator action would do to a reward. Repeated, it changes nothing and is answered as
 * before, whatever has become of the reward meanwhile; `conflict` is a sentence for the operator.
 */
export type ActionVerdict =
  { outcome: 'apply' } | { outcome: 'already-recorded' } | { outcome: 'conflict'; detail: string };

export function evaluateAction(reward: Entitlement, type: RewardAction['type']): ActionVerdict {
  if (reward.action === type) return { outcome: 'already-recorded' };
  const state = stateOf(reward);
  if (state === 'reversed') {
    return conflict(
      isCapped(reward)
        ? 'There is nothing in this reward: a limit left no room for it.'
        : 'Nothing is left of this reward: what caused it was withdrawn or refunded.',
    );
  }
  // A settled reward has something left to release only where its growth is blocked.
  if (state === 'issued' && (type === 'withheld' || heldOf(reward) === 0n)) {
    return conflict(settledSentence(reward));
  }
  return { outcome: 'apply' };
}

/** Adds the facts to the rewards they are about; of each reward the last action holds. */
export function countActions(
  rewards: Map<string, Entitlement>,
  actions: readonly RewardAction[],
): void {
  for (const action of actions.toSorted((a, b) => a.sequence - b.sequence)) {
    const reward = rewards.get(action.rewardId) ?? stubOf(action);
    if (action.sequence <= (reward.actionSequence ?? 0)) continue;
    rewards.set(action.rewardId, {
      ...reward,
      action: action.type,
      actionSequence: action.sequence,
      settlement: [...reward.settlement, sentenceOf(action)],
    });
  }
}

/** The note is for operators and stays in the fact. */
function sentenceOf({ type, by, at }: RewardAction): string {
  return type === 'released'
    ? `Operator ${JSON.stringify(by)} released it at ${at}: no hold and no review keeps it any more.`
    : `Operator ${JSON.stringify(by)} withheld it at ${at}: nothing more of it is issued.`;
}

function settledSentence(reward: Entitlement): string {
  const { entitled, issued } = reward;
  if (issued >= entitled) return 'This reward was issued in full already.';
  const settled =
    `This reward is settled already: ${formatCredits(issued)} of its ${formatCredits(entitled)} ` +
    'credits were issued, ';
  const rest = formatCredits(entitled - issued);
  switch (keptBackAs({ ...reward, state: stateOf(reward) })) {
    case 'review':
      return `${settled}and ${rest} are in review until an operator releases them.`;
    case 'withheld':
      return `${settled}and ${rest} are withheld.`;
    default:
      return `${settled}the rest was netted against what the recipient owed.`;
  }
}

function conflict(detail: string): ActionVerdict {
  return { outcome: 'conflict', detail };
}
