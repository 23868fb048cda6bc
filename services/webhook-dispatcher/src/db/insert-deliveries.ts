import { inOneTurn, type Tx } from '@tributary/runtime/postgres';
import type { TraceContext } from '@tributary/runtime/tracer';
import { removeForgotten } from './forget-deliveries.ts';
import { planByKey } from './plan-by-key.ts';
import { touchEndpoints } from './touch-endpoints.ts';

export type NewDelivery = {
  webhookEventId: string;
  tenantId: string;
  issuanceId: string;
  rewardId: string;
  recipientId: string;
  body: Buffer;
  issuedAt: Date;
  /** Only where it is traced. */
  trace?: TraceContext | undefined;
};

/**
 * One row per webhook event id, due at once. A second issuance record changes nothing; a row that
 * is known only from the deliveries topic gets its body here and keeps its outcome. One that was
 * delivered and is forgotten stays so.
 *
 * Due since it was issued, so that the oldest goes first, whenever it was read; but not in a future
 * that only another process's clock has seen.
 *
 * @returns what there may be to send; the caller says so to whoever sends.
 */
export async function insertDeliveries(
  tx: Tx,
  deliveries: readonly NewDelivery[],
): Promise<string[]> {
  const [, { rows }] = await inOneTurn([planByKey(tx), insertRows(tx, deliveries)]);
  const made = rows.flatMap((row) => (row.made ? [row.id] : []));
  const touches = rows.map((row) => ({ tenantId: row.tenant_id, nextAt: row.due_at }));
  const [removed] = await inOneTurn([
    // One may have been noted, and its row deleted, since the insert began: it saw neither.
    removeForgotten(tx, made),
    // Includes what is finished or removed: a look too many costs nothing.
    touchEndpoints(tx, touches),
  ]);
  return rows.flatMap(({ id }) => (removed.has(id) ? [] : [id]));
}

type InsertedRow = { id: string; tenant_id: string; due_at: Date; made: boolean };

async function insertRows(tx: Tx, deliveries: readonly NewDelivery[]) {
  return tx.query<InsertedRow>({
    name: 'insert_deliveries',
    text: `insert into delivery
       (webhook_event_id, tenant_id, issuance_id, reward_id, recipient_id, body, issued_at,
        round_started_at, due_at, traceparent, request_id)
     select distinct on (webhook_event_id)
       webhook_event_id, tenant_id, issuance_id, reward_id, recipient_id, body, issued_at,
       issued_at, least(issued_at, now()), traceparent, request_id
     from unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::bytea[],
         $7::timestamptz[], $8::text[], $9::text[])
       as issued
         (webhook_event_id, tenant_id, issuance_id, reward_id, recipient_id, body, issued_at,
          traceparent, request_id)
     where not exists (
       select from forgotten where forgotten.webhook_event_id = issued.webhook_event_id
     )
     order by webhook_event_id
     on conflict (webhook_event_id) do update
       set reward_id = excluded.reward_id, recipient_id = excluded.recipient_id,
         body = excluded.body, issued_at = excluded.issued_at,
         round_started_at = coalesce(
           (select asked_at from resend r
            where r.webhook_event_id = delivery.webhook_event_id and r.round = delivery.round),
           excluded.issued_at),
         due_at = case when delivery.round = 0 and delivery.step = 0
           then greatest(delivery.due_at, excluded.due_at) else delivery.due_at end
       where delivery.body is null
     returning webhook_event_id as id, tenant_id, due_at, xmax = 0 as made`,
    values: [
      deliveries.map((d) => d.webhookEventId),
      deliveries.map((d) => d.tenantId),
      deliveries.map((d) => d.issuanceId),
      deliveries.map((d) => d.rewardId),
      deliveries.map((d) => d.recipientId),
      deliveries.map((d) => d.body),
      deliveries.map((d) => d.issuedAt),
      deliveries.map((d) => d.trace?.traceparent),
      deliveries.map((d) => d.trace?.requestId),
    ],
  });
}
