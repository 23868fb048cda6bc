import type { RewardActionRecord } from '@tributary/contracts/issuance-record';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';

/** Facts from the log; one that is there stays as it is. */
export async function insertActions(tx: Tx, facts: readonly RewardActionRecord[]): Promise<void> {
  await insert(tx, facts, 'insert_reward_actions', 'on conflict do nothing');
}

/** Facts of this moment; one that is there already fails the transaction. */
export async function recordActions(tx: Tx, facts: readonly RewardActionRecord[]): Promise<void> {
  if (facts.length > 0) await insert(tx, facts, 'record_reward_actions', '');
}

async function insert(
  tx: Tx,
  facts: readonly RewardActionRecord[],
  name: string,
  onConflict: string,
): Promise<void> {
  await tx.query({
    name,
    text: `insert into reward_action (action_id, reward_id, tenant_id, recipient_id, sequence,
             record)
           select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::int[],
             $6::json[]) as fact (action_id)
           order by action_id ${onConflict}`,
    values: columnsOf(facts, 'actionId', 'rewardId', 'tenantId', 'recipientId', 'sequence', (f) =>
      JSON.stringify(f),
    ),
  });
}

/** The last operator action on each of these rewards. */
export async function readLastActions(
  tx: Tx,
  rewardIds: readonly string[],
): Promise<RewardActionRecord[]> {
  const { rows } = await tx.query<{ record: RewardActionRecord }>({
    name: 'read_last_actions',
    text: `select distinct on (reward_id) record from reward_action
           where reward_id = any($1::uuid[])
           order by reward_id, sequence desc`,
    values: [rewardIds],
  });
  return rows.map((row) => row.record);
}

/**
 * How many operator actions on each of these rewards this generation has counted, where there are
 * any.
 */
export async function readCountedActions(
  tx: Tx,
  rewardIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await tx.query<{ reward_id: string; action_sequence: number }>({
    name: 'read_counted_actions',
    text: `select reward_id, action_sequence from entitlement
           where reward_id = any($1::uuid[]) and action_sequence is not null`,
    values: [rewardIds],
  });
  return new Map(rows.map((row) => [row.reward_id, row.action_sequence]));
}

export type BulkFilter = {
  tenantId: string;
  /** `review` has also what settled rewards have grown by, where it waits for an operator. */
  state: 'held' | 'review' | 'withheld';
  campaignId?: string;
  recipientId?: string;
  ruleId?: string;
  /** Only events received before this, UTC with milliseconds. */
  before?: string;
};

/** Each by the index that has the few of which it is true. */
const states: Record<BulkFilter['state'], string> = {
  held: `(release_at is not null and state = 'held' and coalesce(action, '') <> 'withheld')`,
  review: `(state = 'review' or (state = 'issued' and issued < entitled and action is null
    and json_array_length(reviews) > 0))`,
  withheld: `(state = 'withheld')`,
};

function matching({ state }: BulkFilter): string {
  return `${states[state]}
    and tenant_id = $1
    and ($2::text is null or campaign_id = $2)
    and ($3::text is null or recipient_id = $3)
    and ($4::text is null or rule_id = $4)
    and ($5::text is null or received_at collate "C" < $5)`;
}

function valuesOf({ tenantId, campaignId, recipientId, ruleId, before }: BulkFilter): unknown[] {
  return [tenantId, campaignId ?? null, recipientId ?? null, ruleId ?? null, before ?? null];
}

/** Rewards in this state, those of the oldest events first. */
export async function findInState(tx: Tx, filter: BulkFilter, limit: number): Promise<string[]> {
  const { rows } = await tx.query<{ reward_id: string }>({
    name: `find_rewards_${filter.state}`,
    text: `select reward_id from entitlement where ${matching(filter)}
           order by received_at, reward_id
           limit $6`,
    values: [...valuesOf(filter), limit],
  });
  return rows.map((row) => row.reward_id);
}

/** How many there are, up to `limit`, with what of them is not issued. */
export async function countInState(
  tx: Tx,
  filter: BulkFilter,
  limit: number,
): Promise<{ count: number; credits: string }> {
  const { rows } = await tx.query<{ count: number; credits: string }>({
    name: `count_rewards_${filter.state}`,
    text: `select count(*)::int as count, trim_scale(coalesce(sum(open), 0))::text as credits
           from (
             select greatest(entitled - issued, 0) as open from entitlement
             where ${matching(filter)} order by received_at, reward_id limit $6
           ) as found`,
    values: [...valuesOf(filter), limit],
  });
  return rows[0] ?? { count: 0, credits: '0' };
}

/** Is there more, in number or credits, than was seen? Credits are exact decimals. */
export async function isMoreThan(
  tx: Tx,
  { count, credits }: { count: number; credits: string },
  seen: { count: number; credits: string },
): Promise<boolean> {
  if (count > seen.count) return true;
  const { rows } = await tx.query<{ more: boolean }>({
    name: 'compare_credits',
    text: 'select $1::numeric > $2::numeric as more',
    values: [credits, seen.credits],
  });
  return rows[0]?.more ?? true;
}
