import { countLimit } from '@tributary/contracts/admin/answer-fields';
import {
  processorItemRoutes,
  searchItems as searchRoute,
} from '@tributary/contracts/admin/processor-items';
import { processorServiceRoutes } from '@tributary/contracts/admin/processor';
import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { declaredRoute } from '@tributary/http/declared-route';
import { cursorAt, sortKeyAt, uuidForm } from '@tributary/http/internal-bodies';
import { ok, wrongCursor } from '@tributary/http/internal-replies';
import type { InternalProblem, InternalRoute } from '@tributary/http/internal-router';
import { inTransaction } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { readEventsOf, readFactsOf, readNeedsOf } from '../db/read-about-item.ts';
import { findRetriable, retryItems } from '../db/retry-items.ts';
import {
  countItems,
  findItem,
  type ItemCount,
  type ItemPlace,
  searchItems,
} from '../db/search-items.ts';
import { readConnectionStatus } from '../db/read-connection-status.ts';
import type { ShownItem } from '../db/shown-item.ts';

/**
 * What the portal asks about items. Reading is always possible, a retry once the log has been read:
 * before, it may be answered there already.
 */
export function createItemRoutes(options: {
  pool: pg.Pool;
  /** All that the catalog view has. */
  connections: () => readonly ProcessorConnectionRecord[];
  /** The log was read to its end. */
  mayWrite: () => boolean;
  /** Something is to be asked now: the worker's `wake`. */
  onRetry: () => void;
}): InternalRoute[] {
  const { pool, connections, mayWrite, onRetry } = options;

  return [
    declaredRoute(searchRoute)(async ({ params: { tenantId }, body }) => {
      const after = body.cursor === undefined ? undefined : placeOf(body.cursor);
      if (after === null) return wrongCursor('list');
      const { cursor: _, since, until, limit, ...chosen } = body;
      const period = {
        ...(since && { since: new Date(since) }),
        ...(until && { until: new Date(until) }),
      };
      // One more than asked for tells whether there is a next page.
      const page = { after, limit: limit + 1 };
      const found = await searchItems(pool, tenantId, { ...chosen, ...period }, page);
      const items = found.slice(0, limit);
      const last = items.at(-1);
      const more = found.length > limit && last !== undefined;
      return ok({ items, ...(more && { nextCursor: cursorOf(last) }) });
    }),

    declaredRoute(processorItemRoutes.countItems.asks)(async ({ params: { tenantId }, body }) => {
      const { since, until, ...chosen } = body;
      const period = {
        ...(since && { since: new Date(since) }),
        ...(until && { until: new Date(until) }),
      };
      const filter = { ...chosen, ...period };
      const { counts, now } = await countItems(pool, tenantId, filter, countLimit);
      return ok({ ...groupsOf(counts), asOf: now.toISOString() });
    }),

    declaredRoute(processorItemRoutes.retryItems.asks)(async ({ params: { tenantId }, body }) => {
      if (!mayWrite()) return notNow;
      const { reason, limit } = body;
      const found = await findRetriable(pool, tenantId, { reason, limit: limit + 1 });
      const retried = await inTransaction(pool, (tx) => retryItems(tx, found.slice(0, limit)));
      onRetry();
      return ok({ retried, more: found.length > limit });
    }),

    declaredRoute(processorItemRoutes.showItem.asks)(async ({ params }) => {
      const itemId = params.itemId.toLowerCase();
      const found = uuidForm.test(itemId) && (await findItem(pool, params.tenantId, itemId));
      if (!found) return noSuchItem;
      const { subjectId, shown } = found;
      const place = { subjectId, itemId };
      // An operator may have asked for the object itself.
      const asked = [...found.needs, { type: shown.type, id: shown.objectId }];
      const [events, facts, needs] = await Promise.all([
        readEventsOf(pool, place),
        readFactsOf(pool, place),
        readNeedsOf(pool, subjectId, asked),
      ]);
      return ok({ item: shown, events, facts, needs });
    }),

    declaredRoute(processorItemRoutes.retryItem.asks)(async ({ params }) => {
      if (!mayWrite()) return notNow;
      const itemId = params.itemId.toLowerCase();
      const found = uuidForm.test(itemId) && (await findItem(pool, params.tenantId, itemId));
      if (!found) return noSuchItem;
      const { subjectId } = found;
      const retried = await inTransaction(pool, (tx) => retryItems(tx, [{ subjectId, itemId }]));
      if (retried === 0) return nothingToAsk;
      onRetry();
      return ok({ retried, more: false });
    }),

    declaredRoute(processorServiceRoutes.readConnectionStatus)(async ({ params: { tenantId } }) => {
      const own = connections().filter((connection) => connection.tenantId === tenantId);
      const statuses = own.map((connection) => readConnectionStatus(pool, connection));
      return ok({ connections: await Promise.all(statuses) });
    }),
  ];
}

function cursorOf({ knownSince, itemId }: ShownItem): string {
  return cursorAt(knownSince, itemId);
}

/** Null when it is none that was given out. */
function placeOf(cursor: string): ItemPlace | null {
  const place = sortKeyAt(cursor);
  return place && { knownSince: place.at, itemId: place.uuid };
}

const noSuchItem: InternalProblem = {
  problem: 'NOT_FOUND',
  detail: 'This tenant has no item with this id.',
};
const nothingToAsk: InternalProblem = {
  problem: 'CONFLICT',
  detail:
    'It has been reported or permanently ignored, or is of the other mode: there is nothing to retry.',
};
const notNow: InternalProblem = {
  problem: 'SERVICE_UNAVAILABLE',
  detail: 'The service is still reading the log; try again later.',
};

/** How many there are of each state, reason and type, and of all. */
function groupsOf(counts: readonly ItemCount[]) {
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  const counted = (count: number) => ({
    count: Math.min(count, countLimit),
    more: all > countLimit,
  });
  const groups = (['state', 'reason', 'type'] as const).flatMap((by) => {
    const sums = new Map<string, number>();
    for (const { [by]: value, count } of counts) {
      if (value !== null) sums.set(value, (sums.get(value) ?? 0) + count);
    }
    return [...sums].map(([value, count]) => ({ by, value, ...counted(count) }));
  });
  return { total: counted(all), groups };
}
