import type { FilterOf } from '@tributary/contracts/admin/query-parameters';
import type { readModelRoutes } from '@tributary/contracts/admin/read-model';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { Fact } from '../../domain/explain/story.ts';
import { createConditions } from './conditions.ts';
import { addPeriod, type Listed, type Page, pageClause, toListed } from './paging.ts';
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

export const eventColumns = `event_id as "eventId", tenant_id as "tenantId",
  received_at as "receivedAt", fact, decision`;

/** Newest receipt first. */
export async function listEvents(
  db: Queryable,
  tenantId: string,
  filter: EventFilter,
  page: Page,
): Promise<Listed<EventRow>> {
  const conditions = createConditions();
  conditions.equal('tenant_id', tenantId);
  conditions.equal('event_type', filter.type);
  conditions.equal('source', filter.source);
  if (filter.outcome === 'pending') conditions.add('outcome is null');
  else conditions.equal('outcome', filter.outcome);
  conditions.equal('reason', filter.reason);
  conditions.equal('new_user_id', filter.user);
  conditions.equal('referrer_id', filter.referrer);
  conditions.equal('campaign_id', filter.campaign);
  conditions.equal('ucc', filter.code);
  if (filter.invoice !== undefined) {
    // The names first: a plain condition lets the planner walk the whole tenant by time instead.
    const names = `${conditions.value([filter.invoice])}::text[]`;
    conditions.add(
      `event_id = any(array(select event_id from event where invoice_names @> ${names}))`,
    );
  }
  addPeriod(conditions, 'received_at', filter);
  const end = pageClause(conditions, page, { at: 'received_at', id: 'event_id' });
  const { rows } = await db.query<EventRow>(
    `select ${eventColumns} from event where ${conditions.where()} ${end}`,
    conditions.values,
  );
  return toListed(rows, page.limit, ({ receivedAt, eventId }) => ({ at: receivedAt, id: eventId }));
}

/** The tenant does not matter: event ids are unique over all. */
export async function findEvent(db: Queryable, eventId: string): Promise<EventRow | undefined> {
  const { rows } = await db.query<EventRow>(
    `select ${eventColumns} from event where event_id = $1`,
    [eventId],
  );
  return rows[0];
}
