import { ConnectionId } from '@tributary/contracts/processor-record';
import type { ReadModel } from '@tributary/generations/start-read-model';
import type { InternalClient } from '@tributary/http/internal-client';
import type { Deployment } from '../../commands/deployment.ts';
import { type EventRow, listEvents } from '../../read-model/queries/list-events.ts';
import { readEmptyBody } from './bodies.ts';
import { cursorOf, encodeCursor } from './cursor.ts';
import { existingTenant } from './existing-tenant.ts';
import { answerOf } from './internal-answer.ts';
import { limitOf, limitParameter } from './paged-answer.ts';
import { readRetryBody } from './processor-bodies.ts';
import { idText, oneOf, type Parameter, type QueryOf, readQuery, time } from './query.ts';
import { Refusal } from './refusal.ts';
import type { AdminRequest, Handler, Route } from './route.ts';

const itemParameters = {
  state: oneOf('reported', 'waiting', 'unmatched', 'ignored'),
  reason: word(),
  type: oneOf('invoice', 'checkout-session', 'charge'),
  customerId: idText(),
  connectionId: connectionName(),
  since: time(),
  until: time(),
  limit: limitParameter,
  cursor: cursorOf(3),
};
type ItemQuery = QueryOf<typeof itemParameters>;

/** Where a page ended: in which of the two lists, and where there. */
type ItemPage = { items: unknown[]; next: readonly [string, string, string] | undefined };

/**
 * Payments and refunds that the processor told, and what became of each: asked of processor-events.
 * What waits for an unknown code is reported and attribution's (docs/decisions/0014): it follows
 * the unmatched ones, from the read model, on pages of the same list.
 */
export function processorItemRoutes(
  deployment: Deployment,
  processor: InternalClient,
  readModel: ReadModel,
): Route[] {
  const one =
    (verb: 'show' | 'retry', readBody: (request: AdminRequest) => Promise<object>): Handler =>
    async (request) => {
      const body = await readBody(request);
      const tenantId = await existingTenant(deployment, request);
      const path = ['tenants', tenantId, 'items', itemIdOf(request), verb];
      return answerOf(await processor.post(path, body, request));
    };

  async function itemsPage(
    tenantId: string,
    query: ItemQuery,
    request: AdminRequest,
  ): Promise<ItemPage> {
    const { cursor: place, limit, ...filter } = query;
    const cursor = place?.[1];
    const body = { ...filter, limit: limitOf(limit), ...(cursor !== undefined && { cursor }) };
    const path = ['tenants', tenantId, 'items', 'search'];
    const answer = answerOf(await processor.post(path, body, request));
    const { items, nextCursor } = answer.body as { items: unknown[]; nextCursor?: string | null };
    return {
      items,
      next: typeof nextCursor !== 'string' ? undefined : [itemsList, nextCursor, ''],
    };
  }

  async function unknownCodes(
    tenantId: string,
    { since: from, until: to, cursor: [list, at, id] = [] }: ItemQuery,
    limit: number,
  ): Promise<ItemPage> {
    const filter = { source: 'processor', reason: 'unknown-code', from, to };
    const isInside = list === codesList && at !== undefined && id !== undefined && at !== '';
    const after = isInside ? { at, id } : undefined;
    const { items, next } = await listEvents(readModel.pool, tenantId, filter, { limit, after });
    return { items: items.map(toItem), next: next && [codesList, next.at, next.id] };
  }

  async function page(tenantId: string, query: ItemQuery, request: AdminRequest) {
    const limit = limitOf(query.limit);
    if (query.reason === 'unknown-code') return unknownCodes(tenantId, query, limit);
    const withCodes = query.state === 'unmatched' && isOfAny(query);
    if (query.cursor?.[0] === codesList) {
      if (!withCodes) throw notOfThisList();
      return unknownCodes(tenantId, query, limit);
    }
    if (query.cursor !== undefined && query.cursor[0] !== itemsList) throw notOfThisList();
    const first = await itemsPage(tenantId, query, request);
    if (first.next !== undefined || !withCodes) return first;
    const room = limit - first.items.length;
    // The place before the first of them: the next page begins there.
    if (room <= 0) return { items: first.items, next: [codesList, '', ''] as const };
    const { items, next } = await unknownCodes(tenantId, query, room);
    return { items: [...first.items, ...items], next };
  }

  return [
    {
      path: '/api/tenants/:tenantId/processor-items',
      methods: {
        GET: async (request) => {
          const query = readQuery(request.search, itemParameters);
          if (query.reason === 'unknown-code') judgeUnknownCodeQuery(query);
          const tenantId = await existingTenant(deployment, request);
          const { items, next } = await page(tenantId, query, request);
          const nextCursor = next === undefined ? null : encodeCursor(next);
          return { status: 200, body: { items, nextCursor } };
        },
      },
    },
    // Before the one that takes any word for an id.
    {
      path: '/api/tenants/:tenantId/processor-items/retry',
      methods: {
        POST: async (request) => {
          const body = readRetryBody(await request.optionalJson());
          const tenantId = await existingTenant(deployment, request);
          return answerOf(
            await processor.post(['tenants', tenantId, 'items', 'retry'], body, request),
          );
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/processor-items/:itemId',
      methods: { GET: one('show', () => Promise.resolve({})) },
    },
    {
      path: '/api/tenants/:tenantId/processor-items/:itemId/retry',
      methods: {
        POST: one('retry', async (request) => readEmptyBody(await request.optionalJson())),
      },
    },
  ];
}

const itemsList = 'items';
const codesList = 'unknown-code';

/**
 * As an item of processor-events, so far as a decision tells; the fact's amount is in ISO's minor
 * units.
 */
function toItem({ eventId, receivedAt, fact, decision }: EventRow) {
  const told = fact ?? decision;
  const refund = fact?.eventType === 'purchase-refunded' ? fact.refund : decision?.refund;
  const purchase = fact?.eventType === 'purchase-created' ? fact.purchase : decision?.purchase;
  const payment = refund ?? purchase;
  return {
    eventId,
    type: told?.eventType,
    objectId: refund?.refundId ?? payment?.invoiceId ?? null,
    customerId: null,
    state: 'unmatched',
    reason: 'unknown-code',
    detail: 'It is reported, and counts as soon as there is such a code.',
    ucc: told?.ucc,
    newUserId: fact?.newUser.id ?? decision?.newUserId,
    amount: payment?.amount ?? null,
    currency: payment?.currency ?? null,
    createdAt: told?.occurredAt ?? null,
    knownSince: receivedAt,
    facts: 1,
  };
}

/** A decision names neither customer nor connection. */
function isOfAny({ reason, type, customerId, connectionId }: ItemQuery): boolean {
  return [reason, type, customerId, connectionId].every((one) => one === undefined);
}

/** @throws {Refusal} rather than to leave a filter out, or to find nothing. */
function judgeUnknownCodeQuery(query: ItemQuery): void {
  const { state } = query;
  const wrong = (['type', 'customerId', 'connectionId'] as const).filter(
    (name) => query[name] !== undefined,
  );
  const errors = [...wrong, ...(state === undefined || state === 'unmatched' ? [] : ['state'])].map(
    (name) => ({
      pointer: `/${name}`,
      code: 'INVALID_ENUM' as const,
      detail: 'must be left out with reason unknown-code',
    }),
  );
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  if (query.cursor !== undefined && query.cursor[0] !== codesList) throw notOfThisList();
}

function notOfThisList(): Refusal {
  const detail = `must be ${itemParameters.cursor.expected}`;
  const errors = [{ pointer: '/cursor', code: 'INVALID_FORMAT' as const, detail }];
  return new Refusal('VALIDATION_ERROR', { errors });
}

/** What breaks the form of an id cannot exist. */
function itemIdOf(request: AdminRequest): string {
  const itemId = request.param('itemId');
  if (uuidPattern.test(itemId)) return itemId;
  throw new Refusal('NOT_FOUND', { detail: 'This tenant has no item with this id.' });
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function connectionName(): Parameter<string> {
  return {
    expected: 'the connectionId of a connection',
    read: (text) => (connectionForm.test(text) ? { value: text } : { code: 'INVALID_FORMAT' }),
  };
}

const connectionForm = new RegExp(ConnectionId.pattern ?? '');

/** Which reasons there are processor-events knows. */
function word(): Parameter<string> {
  return {
    expected: 'the reason of an item, such as no-metadata or unknown-code',
    read: (text) => (/^[a-z-]{1,40}$/.test(text) ? { value: text } : { code: 'INVALID_FORMAT' }),
  };
}
