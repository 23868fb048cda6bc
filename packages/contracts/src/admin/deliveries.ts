import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { adminRoute, forwardedRoute, questionOf, serviceRoute } from './admin-route.ts';
import { count, countLimit, countsBy, decimal, oneOfTexts, text, utc } from './answer-fields.ts';
import { instant } from './instant.ts';
import { OperatorNote } from './operator-note.ts';
import { cursorLike, format, limit, order } from './paging.ts';
import { idText, oneOf, time } from './query-parameters.ts';
import { anyText } from './text-fields.ts';
import {
  Delivery,
  DeliveryDetail,
  DeliveryPage,
  DeliveryState,
  ResentDelivery,
} from './webhook-answers.ts';
import { csvForm } from './csv-form.ts';

const filter = {
  state: oneOf(...DeliveryState.anyOf.map(({ const: state }) => state)),
  recipient: idText(),
  since: time(),
  until: time(),
};
const asked = {
  recipientId: Type.Optional(anyText(255)),
  since: Type.Optional(instant()),
  until: Type.Optional(instant()),
};
const Searched = closedObject({ state: Type.Optional(DeliveryState), ...asked });

/** Waiting ones are due at once; of others the next round is opened. */
const ToResend = closedObject({
  state: oneOfTexts('pending', 'delivered', 'exhausted'),
  ...asked,
});
const Resendable = Type.Object({
  count: Type.Integer({ minimum: 0, maximum: countLimit }),
  credits: decimal,
  more: Type.Boolean(),
  asOf: utc,
});
/** As it was counted: nothing is done when more matches by now. */
const BulkResend = closedObject({
  ...OperatorNote.properties,
  filter: ToResend,
  seen: closedObject({
    count: Type.Integer({ minimum: 0, maximum: countLimit }),
    asOf: instant(),
  }),
});
const DeliveryCounts = countsBy('state');
const Resent = Type.Object({ resent: count, more: Type.Boolean() });

/**
 * Webhooks sent and to be sent: the dispatcher alone has what receivers answered, and knows what is
 * due.
 */
export const deliveryRoutes = {
  listDeliveries: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/deliveries',
    right: 'read',
    summary: 'Lists webhooks, newest issuance first.',
    query: { ...filter, order, limit, cursor: cursorLike(/^[\w-]{1,200}$/), format },
    csv: csvForm(
      'deliveries',
      `webhookEventId issuedAt state recipientId rewardId issuanceId attempts round
        dueAt finishedAt lastAttempt.startedAt lastAttempt.result
        lastAttempt.statusCode lastAttempt.detail`,
      'attempts round lastAttempt.statusCode',
    ),
    answers: { 200: DeliveryPage },
    asks: serviceRoute({
      service: 'webhook-dispatcher',
      method: 'POST',
      path: '/tenants/{tenantId}/deliveries/search',
      body: closedObject({
        ...Searched.properties,
        order: Type.Optional(oneOfTexts('newest', 'oldest')),
        limit: Type.Integer({ minimum: 1, maximum: 200 }),
        cursor: Type.Optional(Type.String({ maxLength: 200 })),
      }),
      answer: Type.Object({
        deliveries: Type.Array(Delivery),
        /** Absent on the last page. */
        nextCursor: Type.Optional(text),
      }),
    }),
  }),
  // In front of the routes that take any text for an id.
  countDeliveries: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/deliveries/counts',
    right: 'read',
    summary: 'Counts the webhooks that the list would show, by state.',
    query: filter,
    answers: { 200: DeliveryCounts },
    asks: serviceRoute({
      service: 'webhook-dispatcher',
      method: 'POST',
      path: '/tenants/{tenantId}/deliveries/counts',
      body: Searched,
      answer: DeliveryCounts,
    }),
  }),
  countToResend: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/deliveries/resend',
    right: 'develop',
    summary: 'Counts what a resend by filter would send, with its credits.',
    query: { ...filter, state: oneOf('pending', 'delivered', 'exhausted') },
    answers: { 200: Resendable },
    asks: serviceRoute({
      service: 'webhook-dispatcher',
      method: 'POST',
      path: '/tenants/{tenantId}/deliveries/resend/count',
      body: closedObject({ filter: ToResend }),
      answer: Resendable,
    }),
  }),
  resendDeliveries: forwardedRoute('webhook-dispatcher', {
    method: 'POST',
    path: '/api/tenants/{tenantId}/deliveries/resend',
    right: 'develop',
    summary:
      'Resends what was counted, each once; if `more` is true, repeat the request for the rest.',
    body: BulkResend,
    answers: { 200: Resent },
    conflict: 'more items match than were counted',
  }),
  showDelivery: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/deliveries/{eventId}',
    right: 'read',
    audited: true,
    summary: 'Shows a webhook with its body, every attempt, and who had it resent.',
    answers: { 200: DeliveryDetail },
    asks: questionOf(
      'webhook-dispatcher',
      '/tenants/{tenantId}/deliveries/{eventId}/show',
      DeliveryDetail,
    ),
  }),
  resendDelivery: forwardedRoute('webhook-dispatcher', {
    method: 'POST',
    path: '/api/tenants/{tenantId}/deliveries/{eventId}/resend',
    right: 'develop',
    summary:
      'Resends a webhook, or sends it immediately if it is waiting; its eventId and body stay the same.',
    body: OperatorNote,
    answers: { 200: ResentDelivery },
    conflict: 'it was delivered so long ago that it is no longer stored',
  }),
};
