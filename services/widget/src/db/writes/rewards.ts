import type { RewardRecord } from '@tributary/contracts/reward-record';
import { newestOf } from '@tributary/event-log/newest-of';
import { keyOf } from '@tributary/generations/read-model-keys';
import type { Tx } from '@tributary/runtime/postgres';

/** The current entitlements and what was issued of them. */
export async function writeRewards(tx: Tx, records: readonly RewardRecord[]): Promise<void> {
  if (records.length === 0) return;
  const rewards = newestOf(
    records,
    ({ rewardId }) => rewardId,
    ({ version }) => version,
  );
  await tx.query({
    name: 'write_rewards',
    text: `insert into reward (reward_id, tenant_id, version, campaign_id, recipient_id, state,
             entitled, issued, reviewed)
           select reward_id, tenant_id, version, campaign_id, recipient_id, state, entitled, issued,
             reviewed
           from unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[],
             $7::numeric[], $8::numeric[], $9::boolean[]) as next (reward_id, tenant_id, version,
             campaign_id, recipient_id, state, entitled, issued, reviewed)
           order by reward_id
           on conflict (reward_id) do update
           set version = excluded.version, campaign_id = excluded.campaign_id,
             state = excluded.state, entitled = excluded.entitled, issued = excluded.issued,
             reviewed = excluded.reviewed
           where reward.version < excluded.version
             or (reward.version = excluded.version and reward.reviewed is null)`,
    values: [
      rewards.map((reward) => keyOf(reward.rewardId)),
      rewards.map((reward) => reward.tenantId),
      rewards.map((reward) => reward.version),
      rewards.map((reward) => reward.campaignId),
      rewards.map((reward) => reward.recipientId),
      rewards.map((reward) => reward.state),
      rewards.map((reward) => reward.entitledCredits),
      rewards.map((reward) => reward.issuedCredits),
      rewards.map((reward) => reward.reviewReasons !== undefined),
    ],
  });
}
