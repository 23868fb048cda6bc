import type { EventRecord } from '@tributary/contracts/event-record';
import type { Need } from '../domain/model.ts';
import type { ShownFact, ShownNeed, ShownProcessorEvent } from './shown-item.ts';
import type { Queryable } from './queryable.ts';
import { utcOfSeconds } from './search-items.ts';

export type ItemPlace = { subjectId: string; itemId: string };

/** Events of the processor that reported the item, in the order in which they came. */
export async function readEventsOf(
  db: Queryable,
  { subjectId, itemId }: ItemPlace,
): Promise<ShownProcessorEvent[]> {
  const { rows } = await db.query<{
    processor_event_id: string;
    kind: string;
    api_version: string | null;
    created_seconds: number;
    received_at: Date;
  }>(
    `select processor_event_id, kind, api_version, created_seconds, received_at
     from seen where item_id = $2 and subject_id = $1
     order by received_at, processor_event_id`,
    [subjectId, itemId],
  );
  return rows.map((row) => ({
    processorEventId: row.processor_event_id,
    kind: row.kind,
    apiVersion: row.api_version,
    createdAt: utcOfSeconds(row.created_seconds),
    receivedAt: row.received_at.toISOString(),
  }));
}

/** In the order in which they were made. */
export async function readFactsOf(
  db: Queryable,
  { subjectId, itemId }: ItemPlace,
): Promise<ShownFact[]> {
  const { rows } = await db.query<{ record: EventRecord }>(
    'select record from fact where item_id = $2 and subject_id = $1 order by fact_id',
    [subjectId, itemId],
  );
  return rows.map(({ record }) => toFact(record));
}

function toFact(record: EventRecord): ShownFact {
  const { eventId, eventType, occurredAt, receivedAt, ucc, newUser } = record;
  const common = { eventId, eventType, occurredAt, receivedAt, ucc, newUserId: newUser.id };
  const payment =
    record.eventType === 'purchase-created'
      ? record.purchase
      : record.eventType === 'purchase-refunded'
        ? record.refund
        : undefined;
  const { warnings } = record;
  return { ...common, ...payment, ...(warnings && { warnings }) };
}

/** Which of these are asked of Stripe, for items of the subject or for an operator. */
export async function readNeedsOf(
  db: Queryable,
  subjectId: string,
  asked: readonly Pick<Need, 'type' | 'id'>[],
): Promise<ShownNeed[]> {
  const { rows } = await db.query<{
    type: string;
    id: string;
    due_at: Date;
    attempts: number;
    last_error: string | null;
  }>(
    `select type, id, greatest(due_at, not_before) as due_at, attempts, last_error
     from need
     where subject_id = $1 and (type, id) in (select * from unnest($2::text[], $3::text[]))
     order by type, id`,
    [subjectId, asked.map(({ type }) => type), asked.map(({ id }) => id)],
  );
  return rows.map((row) => ({
    type: row.type,
    id: row.id,
    dueAt: row.due_at.toISOString(),
    attempts: row.attempts,
    lastError: row.last_error,
  }));
}
