import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { ConnectionId } from '../processor-record.ts';
import type { Violation } from '../violation.ts';
import { adminRoute, questionOf, serviceRoute } from './admin-route.ts';
import { countsBy, nullable, oneOfTexts, text } from './answer-fields.ts';
import { orDefault, refined } from './body-validator.ts';
import { cursorOf } from './cursor.ts';
import { instant } from './instant.ts';
import { NoMembers } from './no-members.ts';
import { format, limit } from './paging.ts';
import {
  ItemDetail,
  itemStates,
  itemTypes,
  ProcessorItem,
  Retried,
  UnknownCodeItem,
} from './processor-answers.ts';
import { idText, oneOf, textLike, time } from './query-parameters.ts';
import { anyText } from './text-fields.ts';
import { csvForm } from './csv-form.ts';

const atOnce = { minimum: 1, maximum: 1_000 };
const reasonForm = /^[a-z-]{1,40}$/;

const notAtStripe: Violation = {
  pointer: '/reason',
  code: 'INVALID_ENUM',
  detail:
    'must not be unknown-code: Stripe cannot help, and the item is resolved when the code exists',
};

const ItemCounts = countsBy('state', 'reason', 'type');

const filter = {
  state: oneOf(...itemStates),
  // Which reasons there are processor-events knows.
  reason: textLike(reasonForm, 'the reason of an item, such as no-metadata or unknown-code'),
  type: oneOf(...itemTypes),
  customerId: idText(),
  connectionId: textLike(
    new RegExp(ConnectionId.pattern ?? ''),
    'the connectionId of a connection',
  ),
  since: time(),
  until: time(),
};
const asked = {
  state: Type.Optional(oneOfTexts(...itemStates)),
  reason: Type.Optional(anyText(255)),
  type: Type.Optional(oneOfTexts(...itemTypes)),
  customerId: Type.Optional(anyText(255)),
  connectionId: Type.Optional(ConnectionId),
  since: Type.Optional(instant()),
  until: Type.Optional(instant()),
};

/** Payments and refunds that the processor reported, and what became of each. */
export const processorItemRoutes = {
  listItems: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/processor-items',
    right: 'read',
    summary: 'Lists payments and refunds that Stripe reported, newest first.',
    query: { ...filter, limit, cursor: cursorOf(3), format },
    csv: csvForm(
      'items',
      `itemId connectionId type objectId customerId state reason detail amount
        currency createdAt knownSince facts`,
      'amount facts',
    ),
    answers: {
      200: Type.Object({
        items: Type.Array(Type.Union([ProcessorItem, UnknownCodeItem])),
        nextCursor: nullable(text),
      }),
    },
  }),
  // In front of the routes that take any text for an id.
  countItems: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/processor-items/counts',
    right: 'read',
    summary:
      'Counts payments and refunds that Stripe reported, by state, reason and type; those that wait for their code are counted among the events.',
    query: filter,
    answers: { 200: ItemCounts },
    asks: serviceRoute({
      service: 'processor-events',
      method: 'POST',
      path: '/tenants/{tenantId}/items/counts',
      body: closedObject(asked),
      answer: ItemCounts,
    }),
  }),
  retryItems: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/processor-items/retry',
    right: 'develop',
    summary: 'Asks Stripe immediately about all unmatched items, or those with one reason.',
    body: refined(
      closedObject({
        reason: Type.Optional(
          Type.RegExp(reasonForm, { expected: 'the reason of an item, such as no-metadata' }),
        ),
        limit: orDefault(Type.Integer(atOnce), 500),
      }),
      ({ reason }) => (reason === 'unknown-code' ? [notAtStripe] : []),
    ),
    bodyOptional: true,
    answers: { 200: Retried },
    asks: serviceRoute({
      service: 'processor-events',
      method: 'POST',
      path: '/tenants/{tenantId}/items/retry',
      body: closedObject({ reason: Type.Optional(anyText(255)), limit: Type.Integer(atOnce) }),
      answer: Retried,
    }),
  }),
  showItem: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/processor-items/{itemId}',
    right: 'read',
    summary:
      'Shows an item with the Stripe events that reported it, its facts, and what is being requested from Stripe.',
    answers: { 200: ItemDetail },
    asks: questionOf('processor-events', '/tenants/{tenantId}/items/{itemId}/show', ItemDetail),
  }),
  retryItem: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/processor-items/{itemId}/retry',
    right: 'develop',
    summary: 'Asks Stripe immediately about one item.',
    body: NoMembers,
    bodyOptional: true,
    answers: { 200: Retried },
    conflict: 'there is nothing to ask Stripe for',
    asks: questionOf('processor-events', '/tenants/{tenantId}/items/{itemId}/retry', Retried),
  }),
};

/** The list as processor-events has it; what waits for an unknown code the portal adds. */
export const searchItems = serviceRoute({
  service: 'processor-events',
  method: 'POST',
  path: '/tenants/{tenantId}/items/search',
  body: closedObject({
    ...asked,
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
  }),
  answer: Type.Object({
    items: Type.Array(ProcessorItem),
    /** Absent on the last page. */
    nextCursor: Type.Optional(text),
  }),
});
