import { randomUUID } from 'node:crypto';
import type { Static } from '@sinclair/typebox';
import type { WebhookTest } from '@tributary/contracts/admin/webhook-answers';
import type pg from 'pg';
import type { SendDelivery } from '../endpoint/send-delivery.ts';
import { findEndpoint } from '../db/find-endpoint.ts';
import { buildTestBody } from '../domain/payload.ts';
import { type Answer, evaluateExchange } from '../domain/outcome.ts';

/**
 * One request to a tenant's endpoint by the very path of real ones, of an event type that receivers
 * ignore (6.1 rule 2). Nothing of it is recorded, and neither a pause nor an open breaker is in its
 * way: it is how somebody finds out whether they may end. To a suspended tenant nothing is sent.
 */
export type SendTest = (
  tenantId: string,
) => Promise<TestResult | { outcome: 'no-endpoint' | 'suspended' }>;

export type TestResult = { outcome: 'sent'; answer?: Answer } & Omit<
  Static<typeof WebhookTest>,
  'answer'
>;

export function createSendTest(options: { pool: pg.Pool; send: SendDelivery }): SendTest {
  const { pool, send } = options;
  return async (tenantId) => {
    const endpoint = await findEndpoint(pool, tenantId);
    if (!endpoint || endpoint.status === 'disabled') return { outcome: 'no-endpoint' };
    if (endpoint.suspended) return { outcome: 'suspended' };
    const { target, now } = endpoint;
    const eventId = randomUUID();
    const body = buildTestBody(eventId, now);
    const startedMs = performance.now();
    const exchange = await send({ body, attempt: 1, now }, target);
    const durationMs = Math.round(performance.now() - startedMs);
    return {
      outcome: 'sent',
      eventId,
      ...evaluateExchange(exchange),
      durationMs,
      ...(exchange.end === 'answered' && { answer: exchange.answer }),
    };
  };
}
