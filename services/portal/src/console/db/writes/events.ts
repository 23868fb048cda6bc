import type { EventRecord } from '@tributary/contracts/event-record';
import { oneOfEach } from '@tributary/event-log/newest-of';
import type { Tx } from '@tributary/runtime/postgres';
import { invoiceNamesOf } from './invoice-names.ts';

/** The facts. The row is there already when the decision came first. */
export async function writeEvents(tx: Tx, records: readonly EventRecord[]): Promise<void> {
  if (records.length === 0) return;
  const events = oneOfEach(records, ({ eventId }) => eventId);
  await tx.query({
    name: 'write_events',
    text: `insert into event (event_id, tenant_id, event_type, source, new_user_id, ucc,
             received_at, invoice_names, fact)
           select event_id, tenant_id, event_type, source, new_user_id, ucc, received_at,
             array(select json_array_elements_text(invoice_names)), fact
           from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
             $7::text[], $8::json[], $9::json[]) as next (event_id, tenant_id, event_type, source,
             new_user_id, ucc, received_at, invoice_names, fact)
           order by event_id collate "C"
           on conflict (event_id) do update set fact = excluded.fact where event.fact is null`,
    values: [
      events.map((event) => event.eventId),
      events.map((event) => event.tenantId),
      events.map((event) => event.eventType),
      events.map((event) => event.source),
      events.map((event) => event.newUser.id),
      events.map((event) => event.ucc),
      events.map((event) => event.receivedAt),
      events.map((event) => JSON.stringify(invoiceNamesOf(paymentOf(event)))),
      events.map(({ idempotency: _key, ...fact }) => JSON.stringify(fact)),
    ],
  });
}

function paymentOf(event: EventRecord) {
  if (event.eventType === 'purchase-created') return event.purchase;
  return event.eventType === 'purchase-refunded' ? event.refund : undefined;
}
