import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import { type SeenEvent, seenKey } from '../domain/fold-subject.ts';

/** For an event that is about nothing that is kept. */
export const noSubjectId = '0';

/** Which of these events were applied to which subject before. */
export async function readSeen(
  tx: Tx,
  asked: readonly { subjectId: string; connectionId: string; processorEventId: string }[],
): Promise<{ subjectId: string; key: string }[]> {
  if (asked.length === 0) return [];
  const { rows } = await tx.query<{
    subject_id: string;
    connection_id: string;
    processor_event_id: string;
  }>(
    `select subject_id, connection_id, processor_event_id from seen
     where (connection_id, processor_event_id, subject_id)
       in (select * from unnest($1::text[], $2::text[], $3::bigint[]))`,
    columnsOf(asked, 'connectionId', 'processorEventId', 'subjectId'),
  );
  return rows.map((row) => ({
    subjectId: row.subject_id,
    key: seenKey({ connectionId: row.connection_id, processorEventId: row.processor_event_id }),
  }));
}

/** The first record of an event is the one that is kept. */
export async function insertSeen(
  tx: Tx,
  events: readonly (SeenEvent & { subjectId: string })[],
): Promise<void> {
  if (events.length === 0) return;
  await tx.query(
    `insert into seen (connection_id, processor_event_id, subject_id, kind, api_version,
       created_seconds, received_at, item_id)
     select connection_id, processor_event_id, subject_id, kind, api_version, created_seconds,
       received_at, item_id
     from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[],
       $6::float8[], $7::timestamptz[], $8::uuid[])
       with ordinality as event (connection_id, processor_event_id, subject_id, kind, api_version,
         created_seconds, received_at, item_id, position)
     order by connection_id, processor_event_id, subject_id, position
     on conflict do nothing`,
    [
      events.map((event) => event.connectionId),
      events.map((event) => event.processorEventId),
      events.map((event) => event.subjectId),
      events.map((event) => event.kind),
      events.map((event) => event.apiVersion),
      events.map((event) => event.createdAt),
      events.map((event) => event.receivedAt),
      events.map((event) => event.itemId),
    ],
  );
}
