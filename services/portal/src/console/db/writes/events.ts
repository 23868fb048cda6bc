import type { EventRecord } from '@tributary/contracts/event-record';
import { oneOfEach } from '@tributary/event-log/newest-of';
import type { Tx } from '@tributary/runtime/postgres';
import { keyOf, timeKeyOf } from '@tributary/generations/read-model-keys';
import { pack } from '../stored/pack.ts';
import { writeAccessKeyUse } from './access-key-use.ts';
import { namesOfJson, namesToJson } from './invoice-names.ts';
import type { Recorded } from './recorded.ts';

/**
 * The facts. The row is there already when the decision came first; else it is undecided, until the
 * decision takes it off that list. Both write the row of `event` first, so one waits for the other.
 */
export async function writeEvents(
  tx: Tx,
  records: readonly Recorded<EventRecord>[],
): Promise<void> {
  if (records.length === 0) return;
  const recorded = oneOfEach(records, ({ record }) => record.eventId);
  const events = recorded.map(({ record }) => record);
  await tx.query({
    name: 'write_events',
    text: `with written as (
             insert into event (event_id, received_at, tenant_id, event_type, source, new_user_id,
               ucc, invoice_names, fact, recorded_at)
             select event_id, received_at, tenant_id, event_type, source, new_user_id, ucc,
               ${namesOfJson}, fact, recorded_at
             from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
               $7::text[], $8::json[], $9::bytea[], $10::bigint[]) as next (event_id, received_at,
               tenant_id, event_type, source, new_user_id, ucc, invoice_names, fact, recorded_at)
             order by event_id
             on conflict (event_id) do update
             set fact = excluded.fact, recorded_at = excluded.recorded_at
             where event.fact is null
             returning event_id, xmax = 0 as is_new
           )
           insert into undecided (event_id)
           select event_id from written where is_new order by event_id
           on conflict (event_id) do nothing`,
    values: [
      events.map((event) => keyOf(event.eventId)),
      events.map((event) => timeKeyOf(event.receivedAt)),
      events.map((event) => event.tenantId),
      events.map((event) => event.eventType),
      events.map((event) => event.source),
      events.map((event) => event.newUser.id),
      events.map((event) => event.ucc),
      events.map((event) => namesToJson(paymentOf(event))),
      events.map(({ idempotency: _key, ...fact }) => pack('event', fact)),
      recorded.map(({ recordedAt }) => recordedAt),
    ],
  });
  await writeAccessKeyUse(tx, events);
}

function paymentOf(event: EventRecord) {
  if (event.eventType === 'purchase-created') return event.purchase;
  return event.eventType === 'purchase-refunded' ? event.refund : undefined;
}
