import type { RewardRecord } from '@tributary/contracts/reward-record';
import { newestOf } from '@tributary/event-log/newest-of';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';
import { grantedCredits } from '../../domain/explain/granted-credits.ts';

/** The current entitlements. `recorded_at` stays that of the first version. */
export async function writeRewards(
  tx: Tx,
  batch: readonly Incoming<RewardRecord>[],
): Promise<void> {
  const recordedAt = new Map<string, number>();
  const records: RewardRecord[] = [];
  for (const { value, timestampMs } of batch) {
    if (value === null) continue;
    const first = Math.min(recordedAt.get(value.rewardId) ?? Infinity, timestampMs);
    recordedAt.set(value.rewardId, first);
    records.push(value);
  }
  if (records.length === 0) return;
  const rewards = newestOf(
    records,
    ({ rewardId }) => rewardId,
    ({ version }) => version,
  );
  await tx.query({
    name: 'write_rewards',
    text: `insert into reward (reward_id, tenant_id, version, campaign_id, rule_id, recipient_role,
             recipient_id, new_user_id, event_id, state, entitled, granted, recorded_at, record)
           select reward_id, tenant_id, version, campaign_id, rule_id, recipient_role,
             recipient_id, new_user_id, event_id, state, entitled, granted, recorded_at, record
           from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[],
             $7::text[], $8::text[], $9::text[], $10::text[], $11::numeric[], $12::numeric[],
             $13::text[], $14::json[]) as next (reward_id, tenant_id, version, campaign_id, rule_id,
             recipient_role, recipient_id, new_user_id, event_id, state, entitled, granted,
             recorded_at, record)
           order by reward_id collate "C"
           on conflict (reward_id) do update
           set version = excluded.version, campaign_id = excluded.campaign_id,
             rule_id = excluded.rule_id, recipient_role = excluded.recipient_role,
             new_user_id = excluded.new_user_id, event_id = excluded.event_id,
             state = excluded.state, entitled = excluded.entitled, granted = excluded.granted,
             record = excluded.record
           where reward.version < excluded.version`,
    values: [
      rewards.map((reward) => reward.rewardId),
      rewards.map((reward) => reward.tenantId),
      rewards.map((reward) => reward.version),
      rewards.map((reward) => reward.campaignId),
      rewards.map((reward) => reward.ruleId),
      rewards.map((reward) => reward.recipientRole),
      rewards.map((reward) => reward.recipientId),
      rewards.map((reward) => reward.newUserId ?? null),
      rewards.map((reward) => reward.eventId),
      rewards.map((reward) => reward.state),
      rewards.map((reward) => reward.entitledCredits),
      rewards.map((reward) => grantedCredits(reward)),
      rewards.map(({ rewardId }) => new Date(recordedAt.get(rewardId) ?? 0).toISOString()),
      rewards.map((reward) => JSON.stringify(reward)),
    ],
  });
}
