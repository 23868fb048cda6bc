import type { DeliveryResendRecord } from '@tributary/contracts/delivery-record';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';

/** Who asked for which round; of two that asked for the same one, the first. */
export async function insertResends(tx: Tx, facts: readonly DeliveryResendRecord[]): Promise<void> {
  if (facts.length === 0) return;
  await tx.query(
    `insert into resend (webhook_event_id, round, asked_by, note, asked_at)
     select distinct on (webhook_event_id, round) webhook_event_id, round, asked_by, note, asked_at
     from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::timestamptz[])
       as fact (webhook_event_id, round, asked_by, note, asked_at)
     order by webhook_event_id, round, asked_at, asked_by, coalesce(note, '')
     on conflict (webhook_event_id, round) do update
       set asked_by = excluded.asked_by, note = excluded.note, asked_at = excluded.asked_at
       where (resend.asked_at, resend.asked_by, coalesce(resend.note, ''))
         > (excluded.asked_at, excluded.asked_by, coalesce(excluded.note, ''))`,
    columnsOf(facts, 'webhookEventId', 'round', 'by', 'note', (f) => new Date(f.at)),
  );
}

/** Deliveries whose round was opened by just these facts: the reader of the log was faster. */
export async function findRecorded(
  tx: Tx,
  facts: readonly DeliveryResendRecord[],
): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>(
    `select webhook_event_id as id
     from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::timestamptz[])
       as fact (webhook_event_id, round, asked_by, note, asked_at)
     join resend using (webhook_event_id, round, asked_by, asked_at)
     where resend.note is not distinct from fact.note`,
    columnsOf(facts, 'webhookEventId', 'round', 'by', 'note', (f) => new Date(f.at)),
  );
  return new Set(rows.map(({ id }) => id));
}
