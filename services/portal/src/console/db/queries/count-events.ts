import { countLimit } from '@tributary/contracts/admin/answer-fields';
import { type Class, findClasses, isOfWholeDays, sumClasses } from './classes.ts';
import { createConditions } from './conditions.ts';
import { type CountedPart, type Counts, sumGroups } from './count-groups.ts';
import {
  addFilter,
  areFewUndecided,
  classFilter,
  driverOf,
  isDecided,
} from './find-event-places.ts';
import type { EventFilter } from './list-events.ts';
import { addPeriod, walkedAtOnce } from './paging.ts';
import { type Source, walkToCount } from './places.ts';
import type { Queryable } from './queryable.ts';

const groups = ['outcome', 'reason', 'type', 'source', 'campaign'] as const;
type Group = (typeof groups)[number];
type Part = CountedPart<Group>;

/**
 * How many events the list would find. Of whole days and of what has few values the exact number,
 * which was counted as they were written; else at most so many as are worth to be counted.
 */
export async function countEvents(
  db: Queryable,
  tenantId: string,
  filter: EventFilter,
): Promise<Counts<Group>> {
  const driver = driverOf(tenantId, filter);
  if (driver !== undefined) return countWalked(db, driver, tenantId, filter);
  const wanted = filter.outcome === 'pending' ? [] : await findDecided(db, tenantId, filter);
  const decided = isOfWholeDays(filter)
    ? await sumClasses(db, wanted, filter)
    : await countInClasses(db, { tenantId, classes: wanted }, filter);
  const byClass = new Map(wanted.map((one) => [one.class, one]));
  const parts = decided.map(({ class: number, members }): Part => ({
    values: byClass.get(number) ?? {},
    count: members,
  }));
  const undecided = await countUndecided(db, tenantId, filter);
  const isScanned = !isOfWholeDays(filter) && sumOf([...parts, ...undecided]) > countLimit;
  const more = isScanned || sumOf(undecided) > countLimit || !(await areFewUndecided(db));
  return sumGroups([...parts, ...undecided], groups, more);
}

function findDecided(db: Queryable, tenantId: string, filter: EventFilter): Promise<Class[]> {
  return findClasses(db, tenantId, 'decision', classFilter(filter));
}

async function countInClasses(
  db: Queryable,
  { tenantId, classes }: { tenantId: string; classes: readonly Class[] },
  filter: EventFilter,
): Promise<{ class: string; members: number }[]> {
  const conditions = createConditions();
  conditions.add(`class = any(${conditions.value(classes.map((one) => one.class))}::bigint[])`);
  conditions.equal('tenant_id', tenantId);
  addPeriod(conditions, 'received_at', filter);
  const { rows } = await db.query<{ class: string; members: number }>(
    `select class, count(*)::int as members from (
       select class from decision where ${conditions.where()} limit ${countLimit + 1}) as found
     group by class`,
    conditions.values,
  );
  return rows;
}

/** Facts without a decision, where the filter allows them. */
async function countUndecided(
  db: Queryable,
  tenantId: string,
  filter: EventFilter,
): Promise<Part[]> {
  if (isDecided({ ...filter, outcome: undefined })) return [];
  if (filter.outcome !== undefined && filter.outcome !== 'pending') return [];
  const conditions = createConditions();
  conditions.equal('tenant_id', tenantId);
  conditions.equal('event_type', filter.type);
  conditions.equal('source', filter.source);
  addPeriod(conditions, 'received_at', filter);
  const { rows } = await db.query<{ type: string; source: string; count: number }>(
    `select event_type as type, source, count(*)::int as count from (
       select event_type, source from (select event_id from undecided limit 10001) as few
       join event using (event_id) where ${conditions.where()} limit ${countLimit + 1}) as found
     group by event_type, source`,
    conditions.values,
  );
  return rows.map(({ count, ...values }) => ({ count, values: { ...values, outcome: 'pending' } }));
}

/** By an index of what has many values: the first rows of it. */
async function countWalked(
  db: Queryable,
  driver: Source,
  tenantId: string,
  filter: EventFilter,
): Promise<Counts<Group>> {
  const values: unknown[] = [];
  const walk = walkToCount(driver, filter, values);
  const left = createConditions(values);
  addFilter(left, tenantId, filter);
  const { rows } = await db.query<Record<Group, string | null> & { count: number; all: boolean }>(
    `${walk}
     select event_type as type, source, coalesce(outcome, 'pending') as outcome, reason,
       decision.campaign_id as campaign, count(*)::int as count,
       (select count(*) from walked) < ${walkedAtOnce} as all
     from walked join event on event.event_id = walked.id left join decision using (event_id)
     where ${left.where()} group by 1, 2, 3, 4, 5`,
    values,
  );
  const parts = rows.map(({ count, all: _, ...members }): Part => ({ count, values: members }));
  return sumGroups(parts, groups, sumOf(parts) > countLimit || rows.some(({ all }) => !all));
}

function sumOf(parts: readonly Part[]): number {
  return parts.reduce((total, { count }) => total + count, 0);
}
