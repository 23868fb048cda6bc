import type {
  IssuanceFact,
  IssuanceRecord,
  RewardActionRecord,
} from '@tributary/contracts/issuance-record';
import { oneOfEach } from '@tributary/event-log/newest-of';
import type { Tx } from '@tributary/runtime/postgres';
import { timeKeyOf } from '@tributary/generations/read-model-keys';
import { pack } from '../stored/pack.ts';
import type { Recorded } from './recorded.ts';

/** What was issued, and what operators released or withheld: facts, each written once. */
export async function writeIssuances(
  tx: Tx,
  facts: readonly Recorded<IssuanceFact>[],
): Promise<void> {
  await insertIssuances(
    tx,
    facts.flatMap(({ record, recordedAt }) =>
      record.type === 'issued' ? [{ record, recordedAt }] : [],
    ),
  );
  await insertActions(
    tx,
    facts.flatMap(({ record, recordedAt }) =>
      record.type === 'issued' ? [] : [{ record, recordedAt }],
    ),
  );
}

async function insertIssuances(
  tx: Tx,
  records: readonly Recorded<IssuanceRecord>[],
): Promise<void> {
  if (records.length === 0) return;
  const recorded = oneOfEach(records, ({ record }) => record.issuanceId);
  const issuances = recorded.map(({ record }) => record);
  await tx.query({
    name: 'write_issuances',
    text: `insert into issuance (issuance_id, reward_id, issued_at, tenant_id, campaign_id,
             recipient_id, credits, record, recorded_at)
           select issuance_id, reward_id, issued_at, tenant_id, campaign_id, recipient_id, credits,
             record, recorded_at
           from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[],
             $7::numeric[], $8::bytea[], $9::bigint[]) as next (issuance_id, reward_id, issued_at,
             tenant_id, campaign_id, recipient_id, credits, record, recorded_at)
           order by issuance_id
           on conflict (issuance_id) do nothing`,
    values: [
      issuances.map((issuance) => issuance.issuanceId),
      issuances.map((issuance) => issuance.rewardId),
      issuances.map((issuance) => timeKeyOf(issuance.issuedAt)),
      issuances.map((issuance) => issuance.tenantId),
      issuances.map((issuance) => issuance.campaignId),
      issuances.map((issuance) => issuance.recipientId),
      issuances.map((issuance) => issuance.credits),
      issuances.map((issuance) => pack('issuance', issuance)),
      recorded.map(({ recordedAt }) => recordedAt),
    ],
  });
}

async function insertActions(
  tx: Tx,
  records: readonly Recorded<RewardActionRecord>[],
): Promise<void> {
  if (records.length === 0) return;
  const recorded = oneOfEach(records, ({ record }) => record.actionId);
  const actions = recorded.map(({ record }) => record);
  await tx.query({
    name: 'write_reward_actions',
    text: `insert into reward_action (action_id, reward_id, acted_at, sequence, tenant_id,
             recipient_id, type, record, recorded_at)
           select action_id, reward_id, acted_at, sequence, tenant_id, recipient_id, type, record,
             recorded_at
           from unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[], $5::text[], $6::text[],
             $7::text[], $8::json[], $9::bigint[]) as next (action_id, reward_id, acted_at, sequence,
             tenant_id, recipient_id, type, record, recorded_at)
           order by action_id collate "C"
           on conflict (action_id) do nothing`,
    values: [
      actions.map((action) => action.actionId),
      actions.map((action) => action.rewardId),
      actions.map((action) => timeKeyOf(action.at)),
      actions.map((action) => action.sequence),
      actions.map((action) => action.tenantId),
      actions.map((action) => action.recipientId),
      actions.map((action) => action.type),
      actions.map((action) => JSON.stringify(action)),
      recorded.map(({ recordedAt }) => recordedAt),
    ],
  });
}
