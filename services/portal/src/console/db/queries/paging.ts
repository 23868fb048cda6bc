import { keyOf, timeKeyOf } from '@tributary/generations/read-model-keys';
import type { Conditions } from './conditions.ts';

/**
 * Lists are read from one end to the other, page by page. A cursor is the place of the last item
 * shown, so what is added meanwhile neither repeats nor hides an item.
 */
export type Place = { at: string; id: string };
export type Page = {
  limit: number;
  after: Place | undefined;
  /** Newest first when left out. */
  order?: 'newest' | 'oldest' | undefined;
};
export type PlaceColumns = { at: string; id: string };

/**
 * So many rows are looked at for one page where no index has all filters of a list. A page may then
 * hold fewer items than asked for, even none, and another one may follow.
 */
export const walkedAtOnce = 5_000;

/**
 * Adds `after` to the conditions, and gives the end of the statement: one row more than asked for.
 */
export function pageClause(
  conditions: Conditions,
  { limit, after, order }: Page,
  columns: PlaceColumns,
): string {
  addAfter(conditions, { after, order }, columns);
  return `${orderClause(order, columns)} limit ${conditions.value(limit + 1)}`;
}

export function addAfter(
  conditions: Conditions,
  { after, order }: Pick<Page, 'after' | 'order'>,
  { at, id }: PlaceColumns,
): void {
  if (after === undefined) return;
  const place = [conditions.value(after.at), conditions.value(after.id)];
  conditions.add(`(${at}, ${id}) ${order === 'oldest' ? '>' : '<'} (${place.join(', ')})`);
}

export function orderClause(order: Page['order'], { at, id }: PlaceColumns): string {
  const direction = order === 'oldest' ? 'asc' : 'desc';
  return `order by ${at} ${direction}, ${id} ${direction}`;
}

/** The same of tables that keep times and ids by their keys. */
export function keyed({ limit, after, order }: Page): Page {
  const key = after && { at: timeKeyOf(after.at), id: keyOf(after.id) };
  return { limit, after: key, order };
}

export type Listed<T> = { items: T[]; next: Place | undefined };

/** Takes away the row that only says that there is more. */
export function toListed<T>(
  rows: readonly T[],
  limit: number,
  placeOf: (row: T) => Place,
): Listed<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? placeOf(last) : undefined };
}

/** Both ends are UTC with milliseconds; `toKey` makes of them what the column holds. */
export function addPeriod(
  conditions: Conditions,
  column: string,
  { from, to }: Period,
  toKey: (time: string) => string = timeKeyOf,
): void {
  if (from !== undefined) conditions.add(`${column} >= ${conditions.value(toKey(from))}`);
  if (to !== undefined) conditions.add(`${column} < ${conditions.value(toKey(to))}`);
}

export type Period = { from?: string | undefined; to?: string | undefined };
