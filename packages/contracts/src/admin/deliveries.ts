import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { adminRoute, forwardedRoute, questionOf, serviceRoute } from './admin-route.ts';
import { text } from './answer-fields.ts';
import { instant } from './instant.ts';
import { OperatorNote } from './operator-note.ts';
import { cursorLike, limit } from './paging.ts';
import { idText, oneOf, time } from './query-parameters.ts';
import { anyText } from './text-fields.ts';
import {
  Delivery,
  DeliveryDetail,
  DeliveryPage,
  DeliveryState,
  ResentDelivery,
} from './webhook-answers.ts';

/**
 * Webhooks sent and to be sent: the dispatcher alone has what receivers answered, and knows what is
 * due.
 */
export const deliveryRoutes = {
  listDeliveries: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/deliveries',
    right: 'read',
    summary: 'Lists webhooks, the newest issue first.',
    query: {
      state: oneOf(...DeliveryState.anyOf.map(({ const: state }) => state)),
      recipient: idText(),
      since: time(),
      until: time(),
      limit,
      cursor: cursorLike(/^[\w-]{1,200}$/),
    },
    answers: { 200: DeliveryPage },
    asks: serviceRoute({
      service: 'webhook-dispatcher',
      method: 'POST',
      path: '/tenants/{tenantId}/deliveries/search',
      body: closedObject({
        state: Type.Optional(DeliveryState),
        recipientId: Type.Optional(anyText(255)),
        since: Type.Optional(instant()),
        until: Type.Optional(instant()),
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
  showDelivery: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/deliveries/{eventId}',
    right: 'read',
    audited: true,
    summary: 'Shows a webhook with its body, each attempt, and who asked for it anew.',
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
    summary: 'Sends a webhook again, or at once if it waits; its eventId and body stay the same.',
    body: OperatorNote,
    answers: { 200: ResentDelivery },
    conflict: 'it was delivered so long ago that it is not kept any more',
  }),
};
