import { keyOf, timeKeyOf } from '@tributary/generations/read-model-keys';
import type { Conditions } from './conditions.ts';

/**
 * Lists are read newest first, page by page. A cursor is the place of the last item shown, so what
 * is added meanwhile neither repeats nor hides an item.
 */
export type Place = { at: string; id: string };
export type Page = { limit: number; after: Place | undefined };

/**
 * Adds `after` to the conditions, and gives the end of the statement: one row more than asked for.
 */
export function pageClause(
  conditions: Conditions,
  { limit, after }: Page,
  columns: { at: string; id: string },
): string {
  const { at, id } = columns;
  if (after !== undefined) {
    const place = [conditions.value(after.at), conditions.value(after.id)];
    conditions.add(`(${at}, ${id}) < (${place.join(', ')})`);
  }
  return `order by ${at} desc, ${id} desc limit ${conditions.value(limit + 1)}`;
}

/** The same of tables that keep times and ids by their keys. */
export function keyed({ limit, after }: Page): Page {
  return { limit, after: after && { at: timeKeyOf(after.at), id: keyOf(after.id) } };
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
  { from, to }: { from?: string | undefined; to?: string | undefined },
  toKey: (time: string) => string = timeKeyOf,
): void {
  if (from !== undefined) conditions.add(`${column} >= ${conditions.value(toKey(from))}`);
  if (to !== undefined) conditions.add(`${column} < ${conditions.value(toKey(to))}`);
}
