import { encodeCursor } from '@tributary/contracts/admin/cursor';
import {
  processorItemRoutes as declared,
  searchItems,
} from '@tributary/contracts/admin/processor-items';
import type { QueryOf } from '@tributary/contracts/admin/query-parameters';
import type { ReadModel } from '@tributary/generations/start-read-model';
import { askService } from '@tributary/http/ask-service';
import type { InternalClient } from '@tributary/http/internal-client';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { type EventRow, listEvents } from '../console/db/queries/list-events.ts';
import { existingTenant } from './existing-tenant.ts';
import { forward } from './forward.ts';
import { answerOf } from './internal-answer.ts';
import { limitOf } from './paged-answer.ts';
import { Refusal } from './refusal.ts';
import { type Asked, serve, type ServedRoute } from './route.ts';

type Listing = Asked<(typeof declared)['listItems']>;
type ItemQuery = QueryOf<(typeof declared)['listItems']['query']>;

/** Where a page ended: in which of the two lists, and where there. */
type Next = readonly [string, string, string] | undefined;

/**
 * Payments and refunds that the processor reported, and what became of each: asked of
 * processor-events. What waits for an unknown code is reported and attribution's
 * (docs/decisions/0014): it follows the unmatched ones, from the read model, on pages of the same
 * list.
 */
export function processorItemRoutes(
  deployment: Deployment,
  processor: InternalClient,
  readModel: ReadModel,
): ServedRoute[] {
  const check = async (asked: { params: { tenantId: string; itemId: string } }) => {
    await existingTenant(deployment, asked);
    if (!uuidPattern.test(asked.params.itemId)) throw noSuchItem();
  };

  async function itemsPage(asked: Listing) {
    const { cursor: place, limit, format: _, ...filter } = asked.query;
    const body = { ...filter, limit: limitOf(limit), cursor: place?.[1] };
    const question = { params: asked.params, body, requestId: asked.requestId };
    const { items, nextCursor } = answerOf(await askService(processor, searchItems, question)).body;
    const next: Next = typeof nextCursor === 'string' ? [itemsList, nextCursor, ''] : undefined;
    return { items, next };
  }

  async function unknownCodes(
    tenantId: string,
    { since: from, until: to, cursor: [list, at, id] = [] }: ItemQuery,
    limit: number,
  ) {
    const filter = { source: 'processor', reason: 'unknown-code', from, to } as const;
    const isInside = list === codesList && at !== undefined && id !== undefined && at !== '';
    const after = isInside ? { at, id } : undefined;
    const { items, next } = await listEvents(readModel.pool, tenantId, filter, { limit, after });
    return { items: items.map(toItem), next: next && ([codesList, next.at, next.id] as const) };
  }

  async function page(tenantId: string, asked: Listing) {
    const { query } = asked;
    const limit = limitOf(query.limit);
    if (query.reason === 'unknown-code') return unknownCodes(tenantId, query, limit);
    const withCodes = query.state === 'unmatched' && isOfAny(query);
    if (query.cursor?.[0] === codesList) {
      if (!withCodes) throw notOfThisList();
      return unknownCodes(tenantId, query, limit);
    }
    if (query.cursor !== undefined && query.cursor[0] !== itemsList) throw notOfThisList();
    const first = await itemsPage(asked);
    if (first.next !== undefined || !withCodes) return first;
    const room = limit - first.items.length;
    // The place before the first of them: the next page begins there.
    if (room <= 0) return { items: first.items, next: [codesList, '', ''] as const };
    const { items, next } = await unknownCodes(tenantId, query, room);
    return { items: [...first.items, ...items], next };
  }

  return [
    serve(declared.listItems)(async (asked) => {
      if (asked.query.reason === 'unknown-code') validateUnknownCodeQuery(asked.query);
      const tenantId = await existingTenant(deployment, asked);
      const { items, next } = await page(tenantId, asked);
      const nextCursor = next === undefined ? null : encodeCursor(next);
      return { status: 200, body: { items, nextCursor } };
    }),
    serve(declared.countItems)(async (asked) => {
      await existingTenant(deployment, asked);
      const body = asked.query;
      return {
        status: 200,
        body: answerOf(
          await askService(processor, declared.countItems.asks, { ...asked, query: {}, body }),
        ).body,
      };
    }),
    forward(declared.retryItems, processor, {
      check: (asked) => existingTenant(deployment, asked),
    }),
    forward(declared.showItem, processor, { check }),
    forward(declared.retryItem, processor, { check }),
  ];
}

const itemsList = 'items';
const codesList = 'unknown-code';

/**
 * As an item of processor-events, so far as a decision tells; the fact's amount is in ISO's minor
 * units.
 */
function toItem({ eventId, receivedAt, fact, decision }: EventRow) {
  const shown = fact ?? decision;
  const refund = fact?.eventType === 'purchase-refunded' ? fact.refund : decision?.refund;
  const purchase = fact?.eventType === 'purchase-created' ? fact.purchase : decision?.purchase;
  const payment = refund ?? purchase;
  return {
    eventId,
    type: shown?.eventType,
    objectId: refund?.refundId ?? payment?.invoiceId ?? null,
    customerId: null,
    state: 'unmatched' as const,
    reason: 'unknown-code',
    detail: 'It has been reported, and counts as soon as the code exists.',
    ucc: shown?.ucc,
    newUserId: fact?.newUser.id ?? decision?.newUserId,
    amount: payment?.amount ?? null,
    currency: payment?.currency ?? null,
    createdAt: shown?.occurredAt ?? null,
    knownSince: receivedAt,
    facts: 1,
  };
}

/** A decision names neither customer nor connection. */
function isOfAny({ reason, type, customerId, connectionId }: ItemQuery): boolean {
  return [reason, type, customerId, connectionId].every((one) => one === undefined);
}

/** @throws {Refusal} rather than to leave a filter out, or to find nothing. */
function validateUnknownCodeQuery(query: ItemQuery): void {
  const { state } = query;
  const wrong = (['type', 'customerId', 'connectionId'] as const).filter(
    (name) => query[name] !== undefined,
  );
  const errors = [...wrong, ...(state === undefined || state === 'unmatched' ? [] : ['state'])].map(
    (name) => ({
      pointer: `/${name}`,
      code: 'INVALID_ENUM' as const,
      detail: 'must be omitted with reason unknown-code',
    }),
  );
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  if (query.cursor !== undefined && query.cursor[0] !== codesList) throw notOfThisList();
}

function notOfThisList(): Refusal {
  const detail = `must be ${declared.listItems.query.cursor.expected}`;
  const errors = [{ pointer: '/cursor', code: 'INVALID_FORMAT' as const, detail }];
  return new Refusal('VALIDATION_ERROR', { errors });
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function noSuchItem(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'This tenant has no item with this id.' });
}
