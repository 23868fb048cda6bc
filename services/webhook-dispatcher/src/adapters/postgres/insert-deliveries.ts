import type { Tx } from '@tributary/runtime/postgres';

export type NewDelivery = {
  webhookEventId: string;
  tenantId: string;
  issuanceId: string;
  rewardId: string;
  body: Buffer;
  issuedAt: Date;
};

/**
 * One row per webhook event id, due at once. A second issuance record changes nothing; a row that
 * is known only from the deliveries topic gets its body here and keeps its outcome.
 */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<void> {
  await tx.query(
    `insert into delivery (webhook_event_id, tenant_id, issuance_id, reward_id, body, issued_at)
     select distinct on (webhook_event_id)
       webhook_event_id, tenant_id, issuance_id, reward_id, body, issued_at
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::timestamptz[])
       as issued (webhook_event_id, tenant_id, issuance_id, reward_id, body, issued_at)
     order by webhook_event_id
     on conflict (webhook_event_id) do update
       set reward_id = excluded.reward_id, body = excluded.body, issued_at = excluded.issued_at
       where delivery.body is null`,
    [
      deliveries.map((d) => d.webhookEventId),
      deliveries.map((d) => d.tenantId),
      deliveries.map((d) => d.issuanceId),
      deliveries.map((d) => d.rewardId),
      deliveries.map((d) => d.body),
      deliveries.map((d) => d.issuedAt),
    ],
  );
}
