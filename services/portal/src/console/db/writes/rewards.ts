import type { RewardRecord } from '@tributary/contracts/reward-record';
import { shownState } from '@tributary/contracts/reward-state';
import { newestOf } from '@tributary/event-log/newest-of';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';
import { keyOf, timeKeyOf } from '@tributary/generations/read-model-keys';
import { pack } from '../stored/pack.ts';
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
    text: `insert into reward (reward_id, event_id, recorded_at, version, reviewed, capped,
             tenant_id, campaign_id, rule_id, recipient_role, recipient_id, new_user_id, state,
             entitled, issued, granted, record, class)
           select reward_id, event_id, recorded_at, version, reviewed, capped, tenant_id,
             campaign_id, rule_id, recipient_role, recipient_id, new_user_id, state, entitled,
             issued, granted, record, class_of('reward', tenant_id, campaign_id, rule_id,
               recipient_role, case when capped then 'capped' else state end)
           from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::int[], $5::boolean[],
             $6::boolean[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
             $12::text[], $13::text[], $14::numeric[], $15::numeric[], $16::numeric[],
             $17::bytea[]) as next (reward_id, event_id, recorded_at, version, reviewed, capped,
             tenant_id, campaign_id, rule_id, recipient_role, recipient_id, new_user_id, state,
             entitled, issued, granted, record)
           order by reward_id
           on conflict (reward_id) do update
           set event_id = excluded.event_id, version = excluded.version,
             reviewed = excluded.reviewed, capped = excluded.capped,
             campaign_id = excluded.campaign_id, rule_id = excluded.rule_id,
             recipient_role = excluded.recipient_role, new_user_id = excluded.new_user_id,
             state = excluded.state, entitled = excluded.entitled, issued = excluded.issued,
             granted = excluded.granted, record = excluded.record, class = excluded.class
           where reward.version < excluded.version`,
    values: [
      rewards.map((reward) => keyOf(reward.rewardId)),
      rewards.map((reward) => keyOf(reward.eventId)),
      rewards.map(({ rewardId }) => timeKeyOf(timeOfFirst(recordedAt.get(rewardId)))),
      rewards.map((reward) => reward.version),
      rewards.map((reward) => reward.reviewReasons !== undefined),
      rewards.map((reward) => shownState(reward) === 'capped'),
      rewards.map((reward) => reward.tenantId),
      rewards.map((reward) => reward.campaignId),
      rewards.map((reward) => reward.ruleId),
      rewards.map((reward) => reward.recipientRole),
      rewards.map((reward) => reward.recipientId),
      rewards.map((reward) => reward.newUserId ?? null),
      rewards.map((reward) => reward.state),
      rewards.map((reward) => reward.entitledCredits),
      rewards.map((reward) => reward.issuedCredits),
      rewards.map((reward) => grantedCredits(reward)),
      rewards.map((reward) => pack('reward', reward)),
    ],
  });
}

function timeOfFirst(timestampMs: number | undefined): string {
  return new Date(timestampMs ?? 0).toISOString();
}
