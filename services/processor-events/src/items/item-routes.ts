import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { checkedRoute } from '@tributary/http/checked-route';
import { periodOf, uuidForm } from '@tributary/http/internal-bodies';
import { notUnderstood, ok, wrongCursor } from '@tributary/http/internal-replies';
import type { InternalReply, InternalRoute } from '@tributary/http/internal-router';
import { inTransaction } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { readEventsOf, readFactsOf, readNeedsOf } from '../adapters/postgres/read-about-item.ts';
import { findRetriable, retryItems } from '../adapters/postgres/retry-items.ts';
import { findItem, searchItems } from '../adapters/postgres/search-items.ts';
import { cursorOf, noMembers, placeOf, retryBody, searchBody } from './item-bodies.ts';
import { readConnectionStatus } from './read-connection-status.ts';

/**
 *   POST /tenants/:tenantId/items/search          { state?, reason?, type?, customerId?, connectionId?, since?, until?, limit, cursor? }
 *   POST /tenants/:tenantId/items/:itemId/show    {}
 *   POST /tenants/:tenantId/items/:itemId/retry   {}
 *   POST /tenants/:tenantId/items/retry           { reason?, limit }
 *   POST /tenants/:tenantId/connections/status    {}
 *
 * The portal judges the bodies for whoever wrote them; here only their shape counts. Reading is
 * always possible, a retry once the log has been read: before, it may be answered there already.
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
    route('items/search', searchBody, async (body, tenantId) => {
      const after = body.cursor === undefined ? undefined : placeOf(body.cursor);
      if (after === null) return wrongCursor('list');
      const period = periodOf(body);
      if (!period) return notUnderstood('since and until must be days that there are');
      const { state, reason, type, customerId, connectionId, limit } = body;
      const filter = { state, reason, type, customerId, connectionId, ...period };
      // One more than asked for tells whether there is a next page.
      const found = await searchItems(pool, tenantId, filter, { after, limit: limit + 1 });
      const items = found.slice(0, limit);
      const last = items.at(-1);
      const more = found.length > limit && last !== undefined;
      return ok({ items, ...(more && { nextCursor: cursorOf(last) }) });
    }),

    route('items/retry', retryBody, async ({ reason, limit }, tenantId) => {
      if (!mayWrite()) return notNow;
      const found = await findRetriable(pool, tenantId, { reason, limit: limit + 1 });
      const retried = await inTransaction(pool, (tx) => retryItems(tx, found.slice(0, limit)));
      onRetry();
      return ok({ retried, more: found.length > limit });
    }),

    route('items/:itemId/show', noMembers, async (_body, tenantId, itemId) => {
      const found = uuidForm.test(itemId) && (await findItem(pool, tenantId, itemId));
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

    route('items/:itemId/retry', noMembers, async (_body, tenantId, itemId) => {
      if (!mayWrite()) return notNow;
      const found = uuidForm.test(itemId) && (await findItem(pool, tenantId, itemId));
      if (!found) return noSuchItem;
      const { subjectId } = found;
      const retried = await inTransaction(pool, (tx) => retryItems(tx, [{ subjectId, itemId }]));
      if (retried === 0) return nothingToAsk;
      onRetry();
      return ok({ retried, more: false });
    }),

    route('connections/status', noMembers, async (_body, tenantId) => {
      const own = connections().filter((connection) => connection.tenantId === tenantId);
      const statuses = own.map((connection) => readConnectionStatus(pool, connection));
      return ok({ connections: await Promise.all(statuses) });
    }),
  ];
}

function route<T>(
  path: string,
  checker: Parameters<typeof checkedRoute<T>>[1],
  answer: (body: T, tenantId: string, itemId: string) => Promise<InternalReply>,
): InternalRoute {
  return checkedRoute(`/tenants/:tenantId/${path}`, checker, (body, { param }) =>
    answer(body, param('tenantId'), param('itemId').toLowerCase()),
  );
}

const noSuchItem: InternalReply = {
  problem: 'NOT_FOUND',
  detail: 'This tenant has no item with this id.',
};
const nothingToAsk: InternalReply = {
  problem: 'CONFLICT',
  detail: 'It is reported or ignored for good, or of the other mode: there is nothing to ask.',
};
const notNow: InternalReply = {
  problem: 'SERVICE_UNAVAILABLE',
  detail: 'The service is still reading the log; try again later.',
};
