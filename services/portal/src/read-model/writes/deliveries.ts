import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import type { Tx } from '@tributary/runtime/postgres';
import { oneOfEach } from './newest-of.ts';

/** Attempts to tell a customer; each is a fact. */
export async function writeDeliveries(tx: Tx, records: readonly DeliveryRecord[]): Promise<void> {
  if (records.length === 0) return;
  const attempts = oneOfEach(
    records,
    ({ webhookEventId, attempt }) => `${webhookEventId} ${String(attempt).padStart(10, '0')}`,
  );
  await tx.query({
    name: 'write_deliveries',
    text: `insert into delivery (webhook_event_id, attempt, tenant_id, issuance_id, started_at, record)
           select webhook_event_id, attempt, tenant_id, issuance_id, started_at, record
           from unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[], $6::json[])
             as next (webhook_event_id, attempt, tenant_id, issuance_id, started_at, record)
           order by webhook_event_id collate "C", attempt
           on conflict (webhook_event_id, attempt) do nothing`,
    values: [
      attempts.map((delivery) => delivery.webhookEventId),
      attempts.map((delivery) => delivery.attempt),
      attempts.map((delivery) => delivery.tenantId),
      attempts.map((delivery) => delivery.issuanceId),
      attempts.map((delivery) => delivery.startedAt),
      attempts.map((delivery) => JSON.stringify(delivery)),
    ],
  });
}
