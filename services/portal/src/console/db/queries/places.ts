import { timeOf } from '@tributary/generations/read-model-keys';
import type { Class } from './classes.ts';
import { type Conditions, createConditions } from './conditions.ts';
import {
  addAfter,
  addPeriod,
  type Listed,
  orderClause,
  type Page,
  type Period,
  type Place,
  type PlaceColumns,
  toListed,
  walkedAtOnce,
} from './paging.ts';
import type { Queryable } from './queryable.ts';

/**
 * Which rows a page of a list has, by time and id: found first, so that an index alone decides, and
 * fetched then. Places are kept by their keys.
 */
export type Places = { ids: string[]; next: Place | undefined };

/** Part of what a page is looked for in: adds its conditions, in its own columns. */
export type Source = PlaceColumns & {
  from: string;
  where: (conditions: ReturnType<typeof createConditions>) => void;
};

/** The first of all that any of the sources has, each in the order of an index of its own. */
export async function placesIn(
  db: Queryable,
  sources: readonly Source[],
  period: Period,
  page: Page,
): Promise<Places> {
  if (sources.length === 0) return { ids: [], next: undefined };
  const values: unknown[] = [];
  const limit = createConditions(values).value(page.limit + 1);
  const parts = sources.map((source) => partOf(source, values, { period, page, limit }));
  return firstOfAll(db, parts, values, { page, limit });
}

type Asked = { period: Period; page: Page; limit: string };

function partOf({ where, ...source }: Source, values: unknown[], asked: Asked): string {
  const conditions = createConditions(values);
  where(conditions);
  return firstOf(source, conditions, asked);
}

function firstOf(
  { from, at, id }: Omit<Source, 'where'>,
  conditions: Conditions,
  { period, page, limit }: Asked,
): string {
  addPeriod(conditions, at, period);
  addAfter(conditions, page, { at, id });
  return `(select ${at} as at, ${id} as id from ${from} where ${conditions.where()}
    ${orderClause(page.order, { at, id })} limit ${limit})`;
}

async function firstOfAll(
  db: Queryable,
  parts: readonly string[],
  values: unknown[],
  { page, limit }: Pick<Asked, 'page' | 'limit'>,
): Promise<Places> {
  const { rows } = await db.query<Place>(
    `select at, id from (${parts.join(' union all ')}) as place
     ${orderClause(page.order, { at: 'at', id: 'id' })} limit ${limit}`,
    values,
  );
  return toPlaces(toListed(rows, page.limit, (place) => place));
}

/**
 * Rows of some classes: each class is in the order of the list, so the first of each are enough.
 * One parameter has all classes, as a statement with a part of its own for each of them ends where
 * they are many.
 */
export async function placesInClasses(
  db: Queryable,
  { tenantId, classes }: { tenantId: string; classes: readonly Class[] },
  { table, more, at, id }: PlaceColumns & { table: string; more: readonly Source[] },
  period: Period,
  page: Page,
): Promise<Places> {
  const values: unknown[] = [];
  const numbers = createConditions(values).value(classes.map((one) => one.class));
  const limit = createConditions(values).value(page.limit + 1);
  const own = createConditions(values);
  own.add(`${table}.class = own.class`);
  // A class is a digest, which others may have, too.
  own.equal(`${table}.tenant_id`, tenantId);
  const inClasses = `(select place.at, place.id from unnest(${numbers}::bigint[]) as own (class),
    lateral ${firstOf({ from: table, at, id }, own, { period, page, limit })} as place)`;
  const others = more.map((source) => partOf(source, values, { period, page, limit }));
  return firstOfAll(db, [inClasses, ...others], values, { page, limit });
}

/**
 * Rows that one index has in order, of which others filters leave some: at most
 * {@link walkedAtOnce} are looked at.
 */
export async function placesWalked(
  db: Queryable,
  driver: Source,
  filter: { from: string; where: Source['where'] },
  period: Period,
  page: Page,
): Promise<Places> {
  const { at, id } = driver;
  const values: unknown[] = [];
  const walked = createConditions(values);
  driver.where(walked);
  addPeriod(walked, at, period);
  addAfter(walked, page, { at, id });
  const left = createConditions(values);
  filter.where(left);
  const places = { at: 'at', id: 'id' };
  const backwards = page.order === 'oldest' ? 'newest' : 'oldest';
  const { rows } = await db.query<Place & { isEnd: boolean }>(
    `with walked as materialized (
       select ${at} as at, ${id} as id from ${driver.from} where ${walked.where()}
       ${orderClause(page.order, { at, id })} limit ${walkedAtOnce}
     )
     (select at, id, false as "isEnd" from walked join ${filter.from}
      where ${left.where()}
      ${orderClause(page.order, places)} limit ${left.value(page.limit + 1)})
     union all
     (select at, id, true from walked where (select count(*) from walked) = ${walkedAtOnce}
      ${orderClause(backwards, places)} limit 1)`,
    values,
  );
  const found = rows.filter(({ isEnd }) => !isEnd);
  const listed = toListed(found, page.limit, (place) => place);
  const end = rows.find(({ isEnd }) => isEnd);
  return toPlaces({ ...listed, next: listed.next ?? end });
}

/** What begins a statement that counts them: without an order, as nobody sees them. */
export function walkToCount(driver: Source, period: Period, values: unknown[]): string {
  const walked = createConditions(values);
  driver.where(walked);
  addPeriod(walked, driver.at, period);
  return `with walked as materialized (
    select ${driver.id} as id from ${driver.from} where ${walked.where()} limit ${walkedAtOnce})`;
}

function toPlaces({ items, next }: Listed<Place>): Places {
  return {
    ids: items.map(({ id }) => id),
    next: next && { at: timeOf(next.at), id: next.id },
  };
}
