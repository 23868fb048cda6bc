/**
 * `contracts/reward-state.ts` in SQL, over rows of `reward`, for sums and filters that cannot
 * fetch every row. reward-state.int.spec.ts and test-faults/views/ hold the two equal.
 */

/** Settled and not issued in full: there are few of these, and an index has them all. */
export const settledUnpaid = `(reward.state = 'issued' and reward.issued < reward.entitled)`;

/** The last action of an operator on it; null without one. */
const lastAction = `(select action.type from reward_action as action
  where action.reward_id = reward.reward_id order by action.sequence desc limit 1)`;

/**
 * As what its credits that are not issued are kept back, of an open reward; null when they are not.
 */
export const keptBackAs = `(case
  when reward.state in ('held', 'review', 'withheld') then reward.state
  when ${settledUnpaid} then
    case ${lastAction}
      when 'withheld' then 'withheld'
      when 'released' then null
      else case when reward.reviewed then 'review' end
    end
  end)`;
