import type {
  IssuanceFact,
  IssuanceRecord,
  RewardActionRecord,
} from '@tributary/contracts/issuance-record';
import { oneOfEach } from '@tributary/event-log/newest-of';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';

/** What was issued, and what operators released or withheld: facts, each written once. */
export async function writeIssuances(tx: Tx, facts: readonly IssuanceFact[]): Promise<void> {
  await insertIssuances(
    tx,
    facts.filter((fact) => fact.type === 'issued'),
  );
  await insertActions(
    tx,
    facts.filter((fact) => fact.type !== 'issued'),
  );
}

async function insertIssuances(tx: Tx, records: readonly IssuanceRecord[]): Promise<void> {
  if (records.length === 0) return;
  const issuances = oneOfEach(records, ({ issuanceId }) => issuanceId);
  await tx.query({
    name: 'write_issuances',
    text: `insert into issuance (issuance_id, tenant_id, reward_id, campaign_id, recipient_id,
             credits, issued_at, record)
           select issuance_id, tenant_id, reward_id, campaign_id, recipient_id, credits, issued_at,
             record
           from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::numeric[],
             $7::text[], $8::json[]) as next (issuance_id, tenant_id, reward_id, campaign_id,
             recipient_id, credits, issued_at, record)
           order by issuance_id collate "C"
           on conflict (issuance_id) do nothing`,
    values: [
      issuances.map((issuance) => issuance.issuanceId),
      issuances.map((issuance) => issuance.tenantId),
      issuances.map((issuance) => issuance.rewardId),
      issuances.map((issuance) => issuance.campaignId),
      issuances.map((issuance) => issuance.recipientId),
      issuances.map((issuance) => issuance.credits),
      issuances.map((issuance) => issuance.issuedAt),
      issuances.map((issuance) => JSON.stringify(issuance)),
    ],
  });
}

async function insertActions(tx: Tx, records: readonly RewardActionRecord[]): Promise<void> {
  if (records.length === 0) return;
  const actions = oneOfEach(records, ({ actionId }) => actionId);
  await tx.query({
    name: 'write_reward_actions',
    text: `insert into reward_action (action_id, tenant_id, reward_id, recipient_id, acted_at, record)
           select action_id, tenant_id, reward_id, recipient_id, acted_at, record
           from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::json[])
             as next (action_id, tenant_id, reward_id, recipient_id, acted_at, record)
           order by action_id collate "C"
           on conflict (action_id) do nothing`,
    values: columnsOf(actions, 'actionId', 'tenantId', 'rewardId', 'recipientId', 'at', (action) =>
      JSON.stringify(action),
    ),
  });
}
