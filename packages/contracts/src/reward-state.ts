import type { CalculationStep, RewardRecord } from './reward-record.ts';

/**
 * How a reward stands, for everybody who computes with it or shows it: the fold, lists, balances,
 * explanations and the widget. A record's `state` alone does not say it, for two reasons:
 *
 * - A reward stays `issued` when it grows afterwards, and what it has grown by may have to wait for
 *   an operator (decision 10).
 * - A reward that a limit cut to nothing is `reversed` on the log, though nothing was taken back.
 *
 * Rows are summed and filtered in SQL, which has the same again: of the portal in
 * `console/db/queries/reward-state.ts`, of the widget in `db/queries/credits.ts`.
 * `test-faults/views/` holds them all equal over random histories.
 */
export type ShownState = RewardRecord['state'] | 'capped';

/**
 * A reward as people are shown it: `capped` and not `reversed` where a limit left no room for it.
 */
export type ShownReward = Omit<RewardRecord, 'state'> & { state: ShownState };

type Calculated = { calculation: readonly CalculationStep[] };

export function showReward(reward: RewardRecord): ShownReward {
  return { ...reward, state: shownState(reward) };
}

export function shownState(reward: Calculated & { state: RewardRecord['state'] }): ShownState {
  return reward.state === 'reversed' && isCapped(reward) ? 'capped' : reward.state;
}

/** Did its limits leave nothing of it? Later refunds took nothing then; a withdrawal is its end. */
export function isCapped({ calculation }: Calculated): boolean {
  const last = calculation.findLast(({ step }) => step !== 'refund');
  return last?.step === 'limit' && last.credits === '0';
}

/** Why credits that somebody is entitled to are not issued, nor settled by an offset. */
export type KeptBack = 'held' | 'review' | 'withheld';

type Blocking = {
  /** Matters only by whether there are any. */
  reviews: readonly unknown[];
  /** The last action of an operator on the reward. */
  action?: 'released' | 'withheld' | undefined;
};

/** What keeps a reward from being paid until an operator acts; the end of a hold does not. */
export function blockedAs({ action, reviews }: Blocking): 'withheld' | 'review' | undefined {
  if (action === 'withheld') return 'withheld';
  return reviews.length > 0 && action !== 'released' ? 'review' : undefined;
}

/**
 * As what the credits of a reward that are not issued are kept back. Undefined: they are not. What
 * a settled reward leaves open then was offset against what the recipient owed, or is paid next as
 * a correction.
 */
export function keptBackAs(reward: Blocking & { state: ShownState }): KeptBack | undefined {
  switch (reward.state) {
    case 'held':
    case 'review':
    case 'withheld':
      return reward.state;
    case 'issued':
      return blockedAs(reward);
    case 'reversed':
    case 'capped':
      return undefined;
    default:
      return reward.state satisfies never;
  }
}
