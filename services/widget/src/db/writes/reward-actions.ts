import type { RewardActionRecord } from '@tributary/contracts/issuance-record';
import { newestOf } from '@tributary/event-log/newest-of';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';

/** The last operator action on each reward: who said it, and why, is not kept here. */
export async function writeRewardActions(
  tx: Tx,
  records: readonly RewardActionRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const actions = newestOf(
    records,
    ({ rewardId }) => rewardId,
    ({ sequence }) => sequence,
  );
  await tx.query({
    name: 'write_reward_actions',
    text: `insert into reward_action (reward_id, sequence, type)
           select reward_id, sequence, type
           from unnest($1::uuid[], $2::int[], $3::text[]) as next (reward_id, sequence, type)
           order by reward_id
           on conflict (reward_id) do update
           set sequence = excluded.sequence, type = excluded.type
           where reward_action.sequence < excluded.sequence`,
    values: columnsOf(actions, 'rewardId', 'sequence', 'type'),
  });
}
