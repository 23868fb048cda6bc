import { deliveryRoutes as declared } from '@tributary/contracts/admin/deliveries';
import { askService } from '@tributary/http/ask-service';
import type { InternalClient } from '@tributary/http/internal-client';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { existingTenant } from './existing-tenant.ts';
import { forward } from './forward.ts';
import { answerOf } from './internal-answer.ts';
import { inParts, stateIsMissing } from './bulk-action.ts';
import { limitOf } from './paged-answer.ts';
import { Refusal } from './refusal.ts';
import { serve, type ServedRoute } from './route.ts';

/**
 * Webhooks sent and to be sent, asked of the dispatcher: it alone has what receivers answered, and
 * knows what is due. Whether the tenant exists is looked up here, where that is known first.
 */
export function deliveryRoutes(deployment: Deployment, dispatcher: InternalClient): ServedRoute[] {
  const check = async (asked: { params: { tenantId: string; eventId: string } }) => {
    await existingTenant(deployment, asked);
    if (!uuidPattern.test(asked.params.eventId)) throw noSuchDelivery();
  };

  return [
    serve(declared.listDeliveries)(async (asked) => {
      const { recipient, format: _, ...query } = asked.query;
      await existingTenant(deployment, asked);
      const body = { ...query, recipientId: recipient, limit: limitOf(query.limit) };
      const found = answerOf(
        await askService(dispatcher, declared.listDeliveries.asks, { ...asked, query: {}, body }),
      );
      // As in every list: null on the last page.
      return { status: 200, body: { nextCursor: null, ...found.body } };
    }),
    serve(declared.countDeliveries)(async (asked) => {
      const { recipient: recipientId, ...filter } = asked.query;
      await existingTenant(deployment, asked);
      const body = { ...filter, recipientId };
      const question = { ...asked, query: {}, body };
      return {
        status: 200,
        body: answerOf(await askService(dispatcher, declared.countDeliveries.asks, question)).body,
      };
    }),
    serve(declared.countToResend)(async (asked) => {
      const { recipient: recipientId, state, ...filter } = asked.query;
      if (state === undefined) throw stateIsMissing();
      await existingTenant(deployment, asked);
      const body = { filter: { ...filter, state, recipientId } };
      const question = { ...asked, query: {}, body };
      return {
        status: 200,
        body: answerOf(await askService(dispatcher, declared.countToResend.asks, question)).body,
      };
    }),
    serve(declared.resendDeliveries)(async (asked) => {
      await existingTenant(deployment, asked);
      const { done, more } = await inParts(asked, async () => {
        const { body } = answerOf(
          await askService(dispatcher, declared.resendDeliveries.asks, asked),
        );
        return { done: body.resent, more: body.more };
      });
      return { status: 200, body: { resent: done, more } };
    }),
    forward(declared.showDelivery, dispatcher, { check }),
    forward(declared.resendDelivery, dispatcher, { check }),
  ];
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function noSuchDelivery(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'This tenant has no delivery with this id.' });
}
