import type { RewardRecord } from '@tributary/contracts/reward-record';
import { shownState } from '@tributary/contracts/reward-state';
import { newestOf, oneOfEach } from '@tributary/event-log/newest-of';
import type { Tx } from '@tributary/runtime/postgres';
import { keyOf } from '@tributary/generations/read-model-keys';
import { pack } from '../stored/pack.ts';
import { grantedCredits } from '../../domain/explain/granted-credits.ts';
import type { Recorded } from './recorded.ts';

type Reward = Recorded<RewardRecord> & {
  /** When the log got the first version, as far as this batch knows. */
  firstAt: string;
};

/**
 * The current entitlements, and those that they replace, as decisions are kept (decisions.ts).
 * `recorded_at` stays that of the first version; `changed_at` is that of the version.
 */
export async function writeRewards(
  tx: Tx,
  records: readonly Recorded<RewardRecord>[],
): Promise<void> {
  if (records.length === 0) return;
  const firstAt = new Map<string, string>();
  for (const { record, recordedAt } of records) {
    const known = firstAt.get(record.rewardId);
    if (known === undefined || recordedAt < known) firstAt.set(record.rewardId, recordedAt);
  }
  const rewards = records.map((one) => ({ ...one, firstAt: firstAt.get(one.record.rewardId)! }));
  const newest = newestOf(
    rewards,
    ({ record }) => record.rewardId,
    ({ record }) => record.version,
  );
  const written = await writeCurrent(tx, newest);
  if (written.size === records.length) return;
  const current = new Set(newest.filter(({ record }) => written.has(keyOf(record.rewardId))));
  const older = oneOfEach(
    rewards.filter((one) => !current.has(one)),
    ({ record }) => `${record.rewardId} ${String(record.version).padStart(10, '0')}`,
  );
  await writeOlder(tx, older);
}

/** Says which of them are current now, by their keys. */
async function writeCurrent(tx: Tx, rewards: readonly Reward[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ key: string }>({
    name: 'write_rewards',
    text: `insert into reward (${columns}, class)
           select ${columns}, ${classOf} from ${given}
           order by reward_id
           on conflict (reward_id) do update
           set event_id = excluded.event_id, version = excluded.version,
             reviewed = excluded.reviewed, capped = excluded.capped,
             campaign_id = excluded.campaign_id, rule_id = excluded.rule_id,
             recipient_role = excluded.recipient_role, new_user_id = excluded.new_user_id,
             state = excluded.state, entitled = excluded.entitled, issued = excluded.issued,
             granted = excluded.granted, record = excluded.record,
             changed_at = excluded.changed_at, class = excluded.class
           where reward.version < excluded.version
           returning reward_id as key`,
    values: valuesOf(rewards),
  });
  return new Set(rows.map(({ key }) => key));
}

async function writeOlder(tx: Tx, rewards: readonly Reward[]): Promise<void> {
  if (rewards.length === 0) return;
  await tx.query({
    name: 'write_older_rewards',
    text: `insert into reward_version (${columns}, class)
           select ${columns}, ${classOf} from ${given}
           where version < (select reward.version from reward
             where reward.reward_id = next.reward_id)
           order by reward_id, version
           on conflict (reward_id, version) do nothing`,
    values: valuesOf(rewards),
  });
}

const columns = `reward_id, event_id, recorded_at, version, reviewed, capped, tenant_id, campaign_id,
  rule_id, recipient_role, recipient_id, new_user_id, state, entitled, issued, granted, record,
  changed_at`;

const classOf = `class_of('reward', tenant_id, campaign_id, rule_id, recipient_role,
  case when capped then 'capped' else state end)`;

const given = `unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::int[], $5::boolean[],
  $6::boolean[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
  $13::text[], $14::numeric[], $15::numeric[], $16::numeric[], $17::bytea[], $18::bigint[])
  as next (${columns})`;

function valuesOf(recorded: readonly Reward[]): unknown[][] {
  const rewards = recorded.map(({ record }) => record);
  return [
    rewards.map((reward) => keyOf(reward.rewardId)),
    rewards.map((reward) => keyOf(reward.eventId)),
    recorded.map(({ firstAt }) => firstAt),
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
    recorded.map(({ recordedAt }) => recordedAt),
  ];
}
