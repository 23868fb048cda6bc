import type { InternalClient } from '@tributary/http/internal-client';
import type { Deployment } from '../../commands/deployment.ts';
import { existingTenant } from './existing-tenant.ts';
import { answerOf } from './internal-answer.ts';
import { limitOf, limitParameter } from './paged-answer.ts';
import { idText, oneOf, type Parameter, readQuery, time } from './query.ts';
import { Refusal } from './refusal.ts';
import { readActionBody } from './reward-action-routes.ts';
import { type AdminRequest, type Handler, type Route } from './route.ts';

const deliveryParameters = {
  state: oneOf('pending', 'delivered', 'exhausted', 'no-endpoint'),
  recipient: idText(),
  since: time(),
  until: time(),
  limit: limitParameter,
  cursor: theirCursor(),
};

/**
 * Webhooks sent and to be sent, asked of the dispatcher: it alone has what receivers answered, and
 * knows what is due. The tenant is judged here, by who knows it first.
 */
export function deliveryRoutes(deployment: Deployment, dispatcher: InternalClient): Route[] {
  const one =
    (verb: 'show' | 'resend', readBody: (request: AdminRequest) => Promise<object>): Handler =>
    async (request) => {
      const body = await readBody(request);
      const tenantId = await existingTenant(deployment, request);
      const path = ['tenants', tenantId, 'deliveries', webhookEventIdOf(request), verb];
      return answerOf(await dispatcher.post(path, body, request));
    };

  return [
    {
      path: '/api/tenants/:tenantId/deliveries',
      methods: {
        GET: async (request) => {
          const { recipient, ...query } = readQuery(request.search, deliveryParameters);
          const tenantId = await existingTenant(deployment, request);
          const asked = { ...query, recipientId: recipient, limit: limitOf(query.limit) };
          const path = ['tenants', tenantId, 'deliveries', 'search'];
          const { status, body } = answerOf(await dispatcher.post(path, asked, request));
          // As in every list: null on the last page.
          return { status, body: { nextCursor: null, ...(body as object) } };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/deliveries/:eventId',
      methods: { GET: one('show', () => Promise.resolve({})) },
    },
    {
      path: '/api/tenants/:tenantId/deliveries/:eventId/resend',
      methods: { POST: one('resend', async (request) => readActionBody(await request.json())) },
    },
  ];
}

function webhookEventIdOf(request: AdminRequest): string {
  const eventId = request.param('eventId');
  if (!uuidPattern.test(eventId)) {
    throw new Refusal('NOT_FOUND', { detail: 'This tenant has no delivery with this id.' });
  }
  return eventId;
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What is in it only the dispatcher can say. */
function theirCursor(): Parameter<string> {
  return {
    expected: 'the nextCursor of an answer of this list',
    read: (text) => (/^[\w-]{1,200}$/.test(text) ? { value: text } : { code: 'INVALID_FORMAT' }),
  };
}
