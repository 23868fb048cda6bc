/**
 * `contracts/reward-state.ts` in SQL, over rows of `reward`, for sums and filters that cannot
 * fetch every row. reward-state.int.spec.ts and test-faults/views/ hold the two equal.
 */

/** Settled and not issued in full: there are few of these, and an index has them all. */
export const settledUnpaid = `(reward.state = 'issued'
  and (reward.record ->> 'issuedCredits')::numeric < reward.entitled)`;

/** The last action of an operator on it; null without one. */
const lastAction = `(select action.record ->> 'type' from reward_action as action
  where action.reward_id = reward.reward_id
  order by (action.record ->> 'sequence')::int desc limit 1)`;

/**
 * As what its credits that are not issued are kept back, of an open reward; null when they are not.
 */
export const keptBackAs = `(case
  when reward.state in ('held', 'review', 'withheld') then reward.state
  when ${settledUnpaid} then
    case ${lastAction}
      when 'withheld' then 'withheld'
      when 'released' then null
      else case when reward.record -> 'reviewReasons' is not null then 'review' end
    end
  end)`;

/** Did its limits leave nothing of it? Null where no step is known. */
export const isCapped = `(reward.state = 'reversed' and (
  select step ->> 'step' = 'limit' and step ->> 'credits' = '0'
  from json_array_elements(reward.record -> 'calculation') with ordinality as calculation (step, n)
  where step ->> 'step' <> 'refund' order by n desc limit 1))`;
