import type {
  DeliveryExpiryRecord,
  DeliveryFact,
  DeliveryRecord,
  DeliveryResendRecord,
} from '@tributary/contracts/delivery-record';
import { newestOf, oneOfEach } from '@tributary/event-log/newest-of';
import type { Tx } from '@tributary/runtime/postgres';
import { timeKeyOf } from '@tributary/generations/read-model-keys';
import { pack } from '../stored/pack.ts';
import type { Recorded } from './recorded.ts';

/** Attempts to tell a customer, and what else happened to a delivery; each is a fact. */
export async function writeDeliveries(
  tx: Tx,
  facts: readonly Recorded<DeliveryFact>[],
): Promise<void> {
  await insertAttempts(
    tx,
    facts.flatMap(({ record, recordedAt }) =>
      record.type === 'attempted' ? [{ record, recordedAt }] : [],
    ),
  );
  await insertActions(
    tx,
    facts.flatMap(({ record, recordedAt }) =>
      record.type === 'attempted' ? [] : [{ record, recordedAt }],
    ),
  );
}

/**
 * An attempt may have been made twice, when its first result was not known in time. That it was
 * delivered is then the word that holds.
 */
async function insertAttempts(tx: Tx, records: readonly Recorded<DeliveryRecord>[]): Promise<void> {
  if (records.length === 0) return;
  const recorded = newestOf(
    records,
    ({ record: { webhookEventId, attempt } }) =>
      `${webhookEventId} ${String(attempt).padStart(10, '0')}`,
    ({ record: { outcome } }) => (outcome === 'delivered' ? 1 : 0),
  );
  const attempts = recorded.map(({ record }) => record);
  await tx.query({
    name: 'write_deliveries',
    text: `insert into delivery (webhook_event_id, issuance_id, started_at, attempt, outcome,
             tenant_id, record, recorded_at)
           select webhook_event_id, issuance_id, started_at, attempt, outcome, tenant_id, record,
             recorded_at
           from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::int[], $5::text[], $6::text[],
             $7::bytea[], $8::bigint[]) as next (webhook_event_id, issuance_id, started_at, attempt,
             outcome, tenant_id, record, recorded_at)
           order by webhook_event_id, attempt
           on conflict (webhook_event_id, attempt) do update
           set started_at = excluded.started_at, outcome = excluded.outcome,
             record = excluded.record, recorded_at = excluded.recorded_at
           where excluded.outcome = 'delivered' and delivery.outcome <> 'delivered'`,
    values: [
      attempts.map((delivery) => delivery.webhookEventId),
      attempts.map((delivery) => delivery.issuanceId),
      attempts.map((delivery) => timeKeyOf(delivery.startedAt)),
      attempts.map((delivery) => delivery.attempt),
      attempts.map((delivery) => delivery.outcome),
      attempts.map((delivery) => delivery.tenantId),
      attempts.map((delivery) => pack('delivery', delivery)),
      recorded.map(({ recordedAt }) => recordedAt),
    ],
  });
}

async function insertActions(
  tx: Tx,
  records: readonly Recorded<DeliveryExpiryRecord | DeliveryResendRecord>[],
): Promise<void> {
  if (records.length === 0) return;
  const recorded = oneOfEach(
    records,
    ({ record: { webhookEventId, type, round } }) =>
      `${webhookEventId} ${type} ${String(round).padStart(10, '0')}`,
  );
  const actions = recorded.map(({ record }) => record);
  await tx.query({
    name: 'write_delivery_actions',
    text: `insert into delivery_action
             (webhook_event_id, issuance_id, at, round, type, tenant_id, record, recorded_at)
           select webhook_event_id, issuance_id, at, round, type, tenant_id, record, recorded_at
           from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::int[], $5::text[], $6::text[],
             $7::json[], $8::bigint[]) as next (webhook_event_id, issuance_id, at, round, type,
             tenant_id, record, recorded_at)
           order by webhook_event_id, type collate "C", round
           on conflict (webhook_event_id, type, round) do nothing`,
    values: [
      actions.map((action) => action.webhookEventId),
      actions.map((action) => action.issuanceId),
      actions.map((action) => timeKeyOf(action.at)),
      actions.map((action) => action.round),
      actions.map((action) => action.type),
      actions.map((action) => action.tenantId),
      actions.map((action) => JSON.stringify(action)),
      recorded.map(({ recordedAt }) => recordedAt),
    ],
  });
}
