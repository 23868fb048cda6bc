import { countLimit } from '@tributary/contracts/admin/answer-fields';
import { deliveryRoutes } from '@tributary/contracts/admin/deliveries';
import { webhookRoutes } from '@tributary/contracts/admin/webhooks';
import { AppendRefused, type Appender } from '@tributary/event-log/appender';
import { declaredRoute } from '@tributary/http/declared-route';
import { cursorAt, sortKeyAt, uuidForm } from '@tributary/http/internal-bodies';
import { notNow, ok, wrongCursor } from '@tributary/http/internal-replies';
import type { InternalProblem, InternalRoute } from '@tributary/http/internal-router';
import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';
import type { SendDelivery } from '../endpoint/send-delivery.ts';
import { isForgotten } from '../db/forget-deliveries.ts';
import { readAttempts, readResends } from '../db/read-attempts.ts';
import { readWebhookStatus } from '../db/read-webhook-status.ts';
import {
  countDeliveries,
  findDelivery,
  type SortKey,
  searchDeliveries,
} from '../db/search-deliveries.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import { createResendDeliveries } from '../commands/resend-deliveries.ts';
import { createSendTest } from '../commands/send-test.ts';

const { listDeliveries, countDeliveries: countListed, showDelivery } = deliveryRoutes;
const { resendDelivery, countToResend, resendDeliveries } = deliveryRoutes;
const { recoverDeliveries, testWebhook, showWebhook } = webhookRoutes;

/**
 * What the portal asks for people. Reading is always possible, writing once the log has been read:
 * before, a delivery may be further than this database knows.
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
  /** How long a delivery is kept after it was delivered. */
  deliveryDays: number;
}): InternalRoute[] {
  const { pool, logger, mayWrite, becomeCurrent, failingAfterMs, deliveryDays } = options;
  const resend = createResendDeliveries(options);
  const sendTest = createSendTest(options);

  async function write<R>(work: () => Promise<R>): Promise<R | InternalProblem> {
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

  async function notShown(tenantId: string, id: string): Promise<InternalProblem> {
    const isGone = uuidForm.test(id) && (await isForgotten(pool, tenantId, id));
    return isGone ? { problem: 'NOT_FOUND', detail: goneFor(deliveryDays) } : noSuchDelivery;
  }

  return [
    declaredRoute(listDeliveries.asks)(async ({ params: { tenantId }, body }) => {
      if (!isId(tenantId)) return noSuchTenant;
      const after = body.cursor === undefined ? undefined : placeOf(body.cursor);
      if (after === null) return wrongCursor('list');
      const { state, recipientId, limit, order } = body;
      const filter = { state, recipientId, ...periodOf(body) };
      const page = { after, limit, order };
      const { deliveries, next } = await searchDeliveries(pool, tenantId, filter, page);
      return ok({ deliveries, ...(next && { nextCursor: cursorOf(next) }) });
    }),

    declaredRoute(countListed.asks)(async ({ params: { tenantId }, body }) => {
      if (!isId(tenantId)) return noSuchTenant;
      const { state, recipientId } = body;
      const filter = { state, recipientId, ...periodOf(body) };
      const { counts, now } = await countDeliveries(pool, tenantId, filter, countLimit);
      const groups = counts.map(
        ({ state: value, ...counted }) => ({ by: 'state', value, ...counted }) as const,
      );
      const count = counts.reduce((total, one) => total + one.count, 0);
      const total = { count, more: counts.some(({ more }) => more) };
      return ok({ total, groups, asOf: now.toISOString() });
    }),

    declaredRoute(countToResend.asks)(async ({ params: { tenantId }, body: { filter } }) => {
      if (!isId(tenantId)) return noSuchTenant;
      return ok(await resend.count(tenantId, { ...filter, ...datesOf(filter) }));
    }),

    declaredRoute(resendDeliveries.asks)(async ({ params: { tenantId }, body }) => {
      if (!isId(tenantId)) return noSuchTenant;
      const { filter, seen, ...asked } = body;
      return write(async () => {
        const about = { ...asked, limit: resentAtOnce };
        const wanted = { ...filter, ...datesOf(filter) };
        const resent = await resend.many(tenantId, wanted, seen, about);
        if (resent === 'more-than-seen') return moreThanSeen;
        // Pending ones leave no fact: this line is all that tells who hurried them.
        logger.info('an operator asked for deliveries anew', { tenantId, ...body, ...resent });
        return ok(resent);
      });
    }),

    declaredRoute(showDelivery.asks)(async ({ params: { tenantId, eventId } }) => {
      if (!isId(tenantId)) return noSuchTenant;
      const id = eventId.toLowerCase();
      const found = uuidForm.test(id) && (await findDelivery(pool, tenantId, id));
      if (!found) return notShown(tenantId, id);
      const [attempts, resends] = await Promise.all([
        readAttempts(pool, id),
        readResends(pool, id),
      ]);
      const payload = found.body.toString('utf8');
      return ok({ delivery: found.delivery, payload, attempts, resends });
    }),

    declaredRoute(resendDelivery.asks)(async ({ params: { tenantId, eventId }, body }) => {
      if (!isId(tenantId)) return noSuchTenant;
      const id = eventId.toLowerCase();
      return write(async () => {
        const resent = uuidForm.test(id) && (await resend.one(tenantId, id, body));
        if (!resent) return noSuchDelivery;
        if (resent === 'too-old') return tooOld(deliveryDays);
        // A pending one leaves no fact: this line is all that tells who hurried it.
        logger.info('an operator asked for a delivery anew', { tenantId, ...body, ...resent });
        return ok(resent);
      });
    }),

    declaredRoute(recoverDeliveries.asks)(async ({ params: { tenantId }, body }) => {
      if (!isId(tenantId)) return noSuchTenant;
      const { limit, since, until, ...asked } = body;
      const within = { since: new Date(since), ...(until && { until: new Date(until) }) };
      return write(async () => {
        const { recovered, remaining } = await resend.exhausted(tenantId, within, limit, asked);
        return ok({ recovered, more: remaining > 0, remaining });
      });
    }),

    // Each may take as long as an exchange; they are for people.
    declaredRoute(testWebhook.asks, { atOnce: 8 })(async ({ params: { tenantId } }) => {
      if (!isId(tenantId)) return noSuchTenant;
      await becomeCurrent();
      const sent = await sendTest(tenantId);
      if (sent.outcome !== 'sent') return sent.outcome === 'suspended' ? suspended : noEndpoint;
      const { outcome: _, ...result } = sent;
      return ok(result);
    }),

    declaredRoute(showWebhook.asks)(async ({ params: { tenantId } }) => {
      if (!isId(tenantId)) return noSuchTenant;
      await becomeCurrent();
      return ok(await readWebhookStatus(pool, tenantId, { failingAfterMs }));
    }),
  ];
}

/** Postgres holds no NUL in text. */
function isId(tenantId: string): boolean {
  return /^[^\0]{1,255}$/u.test(tenantId);
}

function periodOf({ since, until }: { since?: string; until?: string }) {
  return { ...(since && { since: new Date(since) }), ...(until && { until: new Date(until) }) };
}

function datesOf({ since, until }: { since?: string; until?: string }) {
  return {
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
  };
}

/** Deliveries taken up again at once; a caller goes on while there are more. */
const resentAtOnce = 500;

const moreThanSeen: InternalProblem = {
  problem: 'CONFLICT',
  detail:
    'More matches by now than was counted, or than can be sent at once: count again, or ask for less.',
};

function cursorOf({ issuedAt, webhookEventId }: SortKey): string {
  return cursorAt(issuedAt.toISOString(), webhookEventId);
}

/** Null when it is none that was given out. */
function placeOf(cursor: string): SortKey | null {
  const place = sortKeyAt(cursor);
  return place && { issuedAt: place.at, webhookEventId: place.uuid };
}

const noSuchDelivery: InternalProblem = {
  problem: 'NOT_FOUND',
  detail: 'This tenant has no delivery with this id.',
};

function tooOld(days: number): InternalProblem {
  return { problem: 'CONFLICT', detail: `${goneFor(days)} It cannot be sent again.` };
}

function goneFor(days: number): string {
  return `This webhook was delivered about ${days} days ago or longer: it is not kept any more.`;
}

const noSuchTenant: InternalProblem = { problem: 'NOT_FOUND', detail: 'There is no such tenant.' };
const noEndpoint: InternalProblem = {
  problem: 'CONFLICT',
  detail: 'This tenant has no webhook endpoint, or it is disabled.',
};
const suspended: InternalProblem = {
  problem: 'CONFLICT',
  detail: 'This tenant is suspended: nothing is sent to it until it is resumed.',
};
