import type { FilterOf } from '@tributary/contracts/admin/query-parameters';
import type { readModelRoutes } from '@tributary/contracts/admin/read-model';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { Fact } from '../../domain/explain/story.ts';
import { keyOf, timeOf } from '@tributary/generations/read-model-keys';
import { unpackMaybe } from '../stored/pack.ts';
import { createConditions } from './conditions.ts';
import { addPeriod, keyed, type Listed, type Page, pageClause, toListed } from './paging.ts';
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

/** Newest receipt first. */
export async function listEvents(
  db: Queryable,
  tenantId: string,
  filter: EventFilter,
  page: Page,
): Promise<Listed<EventRow>> {
  const conditions = createConditions();
  const { outcome, reason, referrer, campaign } = filter;
  const table = orderedBy(filter);
  conditions.equal('event.tenant_id', tenantId);
  if (table === 'decision') conditions.equal('decision.tenant_id', tenantId);
  conditions.equal('event_type', filter.type);
  conditions.equal('source', filter.source);
  conditions.equal('new_user_id', filter.user);
  conditions.equal('ucc', filter.code);
  conditions.equal('reason', reason);
  conditions.equal('referrer_id', referrer);
  conditions.equal('campaign_id', campaign);
  if (outcome === 'pending') conditions.add(isUndecided);
  else conditions.equal('outcome', outcome);
  if (filter.invoice !== undefined) {
    // The names first: a plain condition lets the planner walk the whole tenant by time instead.
    const names = `${conditions.value([filter.invoice])}::text[]`;
    conditions.add(
      `event.event_id = any(array(select event_id from event where invoice_names @> ${names}))`,
    );
  }
  const [at, id] = [`${table}.received_at`, `${table}.event_id`];
  addPeriod(conditions, at, filter);
  const end = pageClause(conditions, keyed(page), { at, id });
  const from = table === 'event' ? eventsWithDecisions : 'decision join event using (event_id)';
  const { rows } = await db.query<StoredEvent>(
    `select ${storedEvent} from ${from} where ${conditions.where()} ${end}`,
    conditions.values,
  );
  const events = rows.map(toEventRow);
  return toListed(events, page.limit, ({ receivedAt, eventId }) => ({
    at: receivedAt,
    id: eventId,
  }));
}

/**
 * The table whose index finds them in the order of the list. Nearly all events are attributed, so
 * these are found by walking all.
 */
function orderedBy({ outcome, reason, referrer, campaign }: EventFilter): 'event' | 'decision' {
  const isRare = outcome !== undefined && outcome !== 'pending' && outcome !== 'attributed';
  const isDecided = [reason, referrer, campaign].some((one) => one !== undefined);
  return isRare || isDecided ? 'decision' : 'event';
}

const isUndecided = 'exists (select from undecided where undecided.event_id = event.event_id)';

/** The tenant does not matter: event ids are unique over all. */
export async function findEvent(db: Queryable, eventId: string): Promise<EventRow | undefined> {
  const { rows } = await db.query<StoredEvent>(
    `select ${storedEvent} from ${eventsWithDecisions} where event_id = $1`,
    [keyOf(eventId)],
  );
  return rows[0] && toEventRow(rows[0]);
}
