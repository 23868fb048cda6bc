import type { FilterOf } from '@tributary/contracts/admin/query-parameters';
import type { readModelRoutes } from '@tributary/contracts/admin/read-model';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { Fact } from '../../domain/explain/story.ts';
import { keyOf, timeOf } from '@tributary/generations/read-model-keys';
import { unpackMaybe } from '../stored/pack.ts';
import { findEventPlaces } from './find-event-places.ts';
import { keyed, type Listed, type Page } from './paging.ts';
import type { Queryable } from './queryable.ts';

/** `pending`: not decided yet. The period is that of receipt. */
export type EventFilter = FilterOf<(typeof readModelRoutes)['listEvents']['query']>;

export type EventRow = {
  eventId: string;
  tenantId: string;
  receivedAt: string;
  fact: Fact | null;
  decision: DecisionRecord | null;
};

/** As the tables have it: see {@link toEventRow}. */
export type StoredEvent = {
  key: string;
  tenantId: string;
  receivedAt: string;
  fact: Buffer | null;
  decision: Buffer | null;
};

export const storedEvent = `event.event_id as key, event.tenant_id as "tenantId",
  event.received_at as "receivedAt", fact, decision.record as decision`;

/** One of the two, fact and decision, may not have been read yet. */
export const eventsWithDecisions = 'event left join decision using (event_id)';

export function toEventRow(stored: StoredEvent): EventRow {
  const fact = unpackMaybe<Fact>(stored.fact);
  const decision = unpackMaybe<DecisionRecord>(stored.decision);
  return {
    eventId: fact?.eventId ?? decision?.eventId ?? stored.key,
    tenantId: stored.tenantId,
    receivedAt: timeOf(stored.receivedAt),
    fact,
    decision,
  };
}

/** By receipt. */
export async function listEvents(
  db: Queryable,
  tenantId: string,
  filter: EventFilter,
  page: Page,
): Promise<Listed<EventRow>> {
  const { ids, next } = await findEventPlaces(db, tenantId, filter, keyed(page));
  const { rows } = await db.query<StoredEvent>(
    `select ${storedEvent} from unnest($1::uuid[]) with ordinality as found (event_id, place)
     join event using (event_id) left join decision using (event_id) order by place`,
    [ids],
  );
  return { items: rows.map(toEventRow), next };
}

/** The tenant does not matter: event ids are unique over all. */
export async function findEvent(db: Queryable, eventId: string): Promise<EventRow | undefined> {
  const { rows } = await db.query<StoredEvent>(
    `select ${storedEvent} from ${eventsWithDecisions} where event_id = $1`,
    [keyOf(eventId)],
  );
  return rows[0] && toEventRow(rows[0]);
}
