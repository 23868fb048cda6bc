import { AppendRefused, type Appender } from '@tributary/event-log/appender';
import { checkedRoute } from '@tributary/http/checked-route';
import { periodOf, uuidForm } from '@tributary/http/internal-bodies';
import { notNow, notUnderstood, ok, wrongCursor } from '@tributary/http/internal-replies';
import type { InternalReply, InternalRoute } from '@tributary/http/internal-router';
import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';
import type { SendDelivery } from './adapters/endpoint/send-delivery.ts';
import { readAttempts, readResends } from './adapters/postgres/read-attempts.ts';
import { readWebhookStatus } from './adapters/postgres/read-webhook-status.ts';
import { findDelivery, searchDeliveries } from './adapters/postgres/search-deliveries.ts';
import {
  askedBody,
  cursorOf,
  noMembers,
  placeOf,
  recoverBody,
  searchBody,
} from './internal-bodies.ts';
import type { DispatcherMetrics } from './metrics.ts';
import { createResendDeliveries } from './operator/resend-deliveries.ts';
import { createSendTest } from './operator/send-test.ts';

/**
 * What the portal asks for people, under `/internal` of the admin listener:
 *
 *   POST /tenants/:tenantId/deliveries/search      { state?, recipientId?, since?, until?, limit, cursor? }
 *   POST /tenants/:tenantId/deliveries/:id/show    {}
 *   POST /tenants/:tenantId/deliveries/:id/resend  { by, note? }
 *   POST /tenants/:tenantId/webhook/recover        { by, note?, since, until?, limit }
 *   POST /tenants/:tenantId/webhook/test           {}
 *   POST /tenants/:tenantId/webhook/status         {}
 *
 * The portal judges the bodies for whoever wrote them; here only their shape counts. Reading is
 * always possible, writing once the log has been read: before, a delivery may be further than this
 * database knows.
 */
export function createInternalRoutes(options: {
  pool: pg.Pool;
  logger: Logger;
  appender: Pick<Appender, 'append'>;
  /** Name on the broker. */
  deliveriesTopic: string;
  /** The one that real deliveries go through. */
  send: SendDelivery;
  metrics: Pick<DispatcherMetrics, 'resent'>;
  /** The log was read to its end. */
  mayWrite: () => boolean;
  /** Reads the catalog up to its end: an endpoint may have been set a moment ago. */
  becomeCurrent: () => Promise<unknown>;
  /** An endpoint that nothing reached for so long is failing. */
  failingAfterMs: number;
}): InternalRoute[] {
  const { pool, logger, mayWrite, becomeCurrent, failingAfterMs } = options;
  const resend = createResendDeliveries(options);
  const sendTest = createSendTest(options);

  async function write(work: () => Promise<InternalReply>): Promise<InternalReply> {
    if (!mayWrite()) {
      return notNow('The dispatcher is still reading the log; try again later.');
    }
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error;
      return notNow('The log does not take anything now; try again later.');
    }
  }

  return [
    route('deliveries/search', searchBody, async (body, tenantId) => {
      const after = body.cursor === undefined ? undefined : placeOf(body.cursor);
      if (after === null) return wrongCursor('list');
      const period = periodOf(body);
      if (!period) return noSuchDay;
      const { state, recipientId, limit } = body;
      const filter = { state, recipientId, ...period };
      // One more than asked for tells whether there is a next page.
      const found = await searchDeliveries(pool, tenantId, filter, { after, limit: limit + 1 });
      const deliveries = found.slice(0, limit);
      const last = deliveries.at(-1);
      const more = found.length > limit && last !== undefined;
      return ok({ deliveries, ...(more && { nextCursor: cursorOf(last) }) });
    }),

    route('deliveries/:id/show', noMembers, async (_body, tenantId, id) => {
      const found = uuidForm.test(id) && (await findDelivery(pool, tenantId, id));
      if (!found) return noSuchDelivery;
      const [attempts, resends] = await Promise.all([
        readAttempts(pool, id),
        readResends(pool, id),
      ]);
      const payload = found.body.toString('utf8');
      return ok({ delivery: found.delivery, payload, attempts, resends });
    }),

    route('deliveries/:id/resend', askedBody, (asked, tenantId, id) =>
      write(async () => {
        const resent = uuidForm.test(id) && (await resend.one(tenantId, id, asked));
        if (!resent) return noSuchDelivery;
        // A pending one leaves no fact: this line is all that tells who hurried it.
        logger.info('an operator asked for a delivery anew', { tenantId, ...asked, ...resent });
        return ok(resent);
      }),
    ),

    route('webhook/recover', recoverBody, async ({ limit, ...body }, tenantId) => {
      const period = periodOf(body);
      if (!period?.since) return noSuchDay;
      const { since, until } = period;
      const { by, note } = body;
      const asked = { by, ...(note !== undefined && { note }) };
      return write(async () => {
        const within = { since, ...(until && { until }) };
        const { recovered, remaining } = await resend.exhausted(tenantId, within, limit, asked);
        return ok({ recovered, more: remaining > 0, remaining });
      });
    }),

    {
      ...route('webhook/test', noMembers, async (_body, tenantId) => {
        await becomeCurrent();
        const { outcome, ...result } = { ...(await sendTest(tenantId)) };
        return outcome === 'sent' ? ok(result) : noEndpoint;
      }),
      // Each may take as long as an exchange; they are for people.
      atOnce: 8,
    },

    route('webhook/status', noMembers, async (_body, tenantId) => {
      await becomeCurrent();
      return ok(await readWebhookStatus(pool, tenantId, { failingAfterMs }));
    }),
  ];
}

function route<T>(
  path: string,
  checker: Parameters<typeof checkedRoute<T>>[1],
  answer: (body: T, tenantId: string, id: string) => Promise<InternalReply>,
): InternalRoute {
  return checkedRoute(`/tenants/:tenantId/${path}`, checker, async (body, { param }) => {
    const tenantId = param('tenantId');
    if (!/^[^\0]{1,255}$/u.test(tenantId)) return noSuchTenant;
    return answer(body, tenantId, param('id').toLowerCase());
  });
}

const noSuchDelivery: InternalReply = {
  problem: 'NOT_FOUND',
  detail: 'This tenant has no delivery with this id.',
};
const noSuchTenant: InternalReply = { problem: 'NOT_FOUND', detail: 'There is no such tenant.' };
const noEndpoint: InternalReply = {
  problem: 'CONFLICT',
  detail: 'This tenant has no webhook endpoint, or it is disabled.',
};
const noSuchDay = notUnderstood('since and until must be days that there are');
