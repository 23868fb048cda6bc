import { encodeCursor } from '@tributary/contracts/admin/cursor';
import { defaultLimit } from '@tributary/contracts/admin/paging';
import type { ReadModel } from '@tributary/generations/start-read-model';

export function pageOf(query: {
  limit: number | undefined;
  cursor: readonly string[] | undefined;
  order?: 'newest' | 'oldest' | undefined;
}) {
  const { limit = defaultLimit, cursor, order } = query;
  const [at, id] = cursor ?? [];
  return { limit, order, after: at === undefined || id === undefined ? undefined : { at, id } };
}

export function limitOf(limit: number | undefined): number {
  return limit ?? defaultLimit;
}

/** `null` on the last page. */
export function nextCursor(next: { at: string; id: string } | undefined): string | null {
  return next === undefined ? null : encodeCursor([next.at, next.id]);
}

/**
 * Up to when everything on the log is in the answer; `null` while the read model is being built. It
 * may trail the log by a moment, or by long after a failure: an answer says so itself.
 */
export function asOf({ freshness }: ReadModel): string | null {
  return freshness.asOf()?.toISOString() ?? null;
}
