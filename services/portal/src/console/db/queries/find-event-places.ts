import { type ClassFilter, findClasses, isClassed } from './classes.ts';
import type { Conditions } from './conditions.ts';
import type { EventFilter } from './list-events.ts';
import type { Page } from './paging.ts';
import { type Places, placesIn, placesInClasses, placesWalked, type Source } from './places.ts';
import type { Queryable } from './queryable.ts';

/**
 * Where the events of a page are. What has few values is asked of classes, what has many of an
 * index of its own; of both together the index is walked for a while.
 */
export async function findEventPlaces(
  db: Queryable,
  tenantId: string,
  filter: EventFilter,
  page: Page,
): Promise<Places> {
  const driver = driverOf(tenantId, filter);
  if (filter.outcome === 'pending' && driver === undefined) {
    return findUndecided(db, tenantId, filter, page);
  }
  if (driver === undefined) return findByClass(db, tenantId, filter, page);
  if (isAlone(filter)) return placesIn(db, [driver], filter, page);
  return walk(db, driver, { tenantId, filter, page });
}

/** Nothing else is asked for, so that every row of the index is one of the list. */
function isAlone({ user, referrer, code, invoice, ...filter }: EventFilter): boolean {
  const drivers = [user, referrer, code, invoice].filter((one) => one !== undefined);
  return drivers.length === 1 && !isClassed(classFilter(filter));
}

type Asked = { tenantId: string; filter: EventFilter; page: Page };

function walk(db: Queryable, driver: Source, { tenantId, filter, page }: Asked): Promise<Places> {
  const left = (conditions: Conditions) => addFilter(conditions, tenantId, filter);
  const from = 'event on event.event_id = walked.id left join decision using (event_id)';
  return placesWalked(db, driver, { from, where: left }, filter, page);
}

const received = { at: 'event.received_at', id: 'event.event_id' };
const decided = { at: 'decision.received_at', id: 'decision.event_id' };
const undecidedEvents = { ...received, from: 'undecided join event using (event_id)' };

/** The most telling of the filters with many values. */
export function driverOf(tenantId: string, filter: EventFilter): Source | undefined {
  const { invoice, user, referrer, code } = filter;
  const events = (condition: (conditions: Conditions) => string): Source => ({
    ...received,
    from: 'event',
    where: (conditions) => {
      conditions.equal('event.tenant_id', tenantId);
      conditions.add(condition(conditions));
    },
  });
  if (invoice !== undefined) {
    // The names first: a plain condition lets the planner walk the whole tenant by time instead.
    return events((conditions) => {
      const names = `${conditions.value([invoice])}::text[]`;
      return `event_id = any(array(select event_id from event where invoice_names @> ${names}))`;
    });
  }
  if (user !== undefined) return events((conditions) => `new_user_id = ${conditions.value(user)}`);
  if (referrer !== undefined) {
    const where = (conditions: Conditions) => {
      conditions.equal('tenant_id', tenantId);
      conditions.equal('referrer_id', referrer);
    };
    return { ...decided, from: 'decision', where };
  }
  return code === undefined ? undefined : events((conditions) => `ucc = ${conditions.value(code)}`);
}

/** All of the filter but its period. */
export function addFilter(conditions: Conditions, tenantId: string, filter: EventFilter): void {
  conditions.equal('event.tenant_id', tenantId);
  conditions.equal('event.event_type', filter.type);
  conditions.equal('event.source', filter.source);
  conditions.equal('event.new_user_id', filter.user);
  conditions.equal('event.ucc', filter.code);
  conditions.equal('decision.reason', filter.reason);
  conditions.equal('decision.referrer_id', filter.referrer);
  conditions.equal('decision.campaign_id', filter.campaign);
  if (filter.outcome === 'pending') conditions.add('decision.event_id is null');
  else conditions.equal('decision.outcome', filter.outcome);
  if (filter.invoice !== undefined) {
    conditions.add(`event.invoice_names @> ${conditions.value([filter.invoice])}::text[]`);
  }
}

async function findByClass(
  db: Queryable,
  tenantId: string,
  filter: EventFilter,
  page: Page,
): Promise<Places> {
  const ofTenant = (conditions: Conditions) => conditions.equal('event.tenant_id', tenantId);
  const all = { ...received, from: 'event', where: ofTenant };
  if (!isClassed(classFilter(filter))) return placesIn(db, [all], filter, page);
  if (!isDecided(filter) && !(await areFewUndecided(db))) {
    return walk(db, all, { tenantId, filter, page });
  }
  const classes = await findClasses(db, tenantId, 'decision', classFilter(filter));
  const where = (conditions: Conditions) => addFilter(conditions, tenantId, filter);
  const more = isDecided(filter) ? [] : [{ ...undecidedEvents, where }];
  const own = { tenantId, classes };
  return placesInClasses(db, own, { ...decided, table: 'decision', more }, filter, page);
}

/**
 * There are few, but while the log is being read: then nearly all are, and the newest are found
 * soon.
 */
async function findUndecided(
  db: Queryable,
  tenantId: string,
  filter: EventFilter,
  page: Page,
): Promise<Places> {
  if (isDecided({ ...filter, outcome: undefined })) return { ids: [], next: undefined };
  const where = (conditions: Conditions) => {
    conditions.equal('tenant_id', tenantId);
    conditions.equal('event_type', filter.type);
    conditions.equal('source', filter.source);
  };
  if (await areFewUndecided(db)) {
    return placesIn(db, [{ ...undecidedEvents, where }], filter, page);
  }
  const driver = { ...received, from: 'event', where };
  const from = 'undecided on undecided.event_id = walked.id';
  return placesWalked(db, driver, { from, where: () => undefined }, filter, page);
}

export async function areFewUndecided(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ count: string }>(
    'select count(*) as count from (select from undecided limit 10001) as few',
  );
  return Number(rows[0]?.count) <= 10_000;
}

/** Does the filter ask for what only a decision says? */
export function isDecided({ outcome, reason, campaign, referrer }: EventFilter): boolean {
  return [outcome, reason, campaign, referrer].some((one) => one !== undefined);
}

export function classFilter({ type, source, outcome, reason, campaign }: EventFilter): ClassFilter {
  return { type, source, outcome, reason, campaign };
}
