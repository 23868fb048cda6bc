import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { DemoTenant } from '../../deploy/demo/demo-file.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';
import { type Answer, call, purchase, tokenFor } from '../../test-e2e/calls.ts';
import { startWebhookSink, type WebhookSink } from '../webhook-sink.ts';
import { type SpanCollector, startSpanCollector } from '@tributary/testkit/span-collector';

/** Those that send spans. */
export const tracedServices = [
  ...(['ingest-api', 'attribution', 'rewards', 'webhook-dispatcher'] as const),
];

/** The whole system, which traces a share of its requests, and a customer's endpoint. */
export type TracedStack = {
  stack: Stack;
  tenant: DemoTenant;
  collector: SpanCollector;
  sink: WebhookSink;
  /** Reports a purchase of somebody new, in a trace of the caller's unless `flags` is null. */
  buy(more?: { body?: object; flags?: '00' | '01' | null }): Promise<Bought>;
  stop(): Promise<void>;
};

export type Bought = { answer: Answer; traceId: string; callersSpanId: string; requestId: string };

export async function startTracedStack(share: number): Promise<TracedStack> {
  const [collector, sink] = await Promise.all([startSpanCollector(), startWebhookSink()]);
  const stopSinks = () => Promise.all([collector.stop(), sink.stop()]);
  const on = { TRIBUTARY_TRACES_ENDPOINT: collector.endpoint };
  const variables = {
    ...Object.fromEntries(tracedServices.map((name) => [name, on])),
    'ingest-api': { ...on, TRIBUTARY_TRACES_SAMPLED: String(share) },
  };
  const stack = await startThrowawayStack({ variables }).catch(async (error: unknown) => {
    await stopSinks();
    throw error;
  });
  const tenant = stack.demo.tenants[0] as DemoTenant;
  const { adminToken, baseUrl } = stack.demo;
  const put = await call(`${baseUrl}/api/tenants/${tenant.tenantId}/webhook`, {
    method: 'PUT',
    token: adminToken,
    body: { url: sink.url, password: tenant.webhook.password },
  });
  expect(put.status).to.equal(200);
  const token = await tokenFor(stack.demo, tenant);

  return {
    ...{ stack, tenant, collector, sink },
    async buy({ body = {}, flags = '00' } = {}) {
      const [traceId, callersSpanId] = [hex(16), hex(8)];
      const traceparent = `00-${traceId}-${callersSpanId}-${flags}`;
      const answer = await call(`${baseUrl}/v2/events/purchase-created`, {
        method: 'POST',
        token,
        headers: flags === null ? {} : { traceparent },
        body: purchase(tenant, randomUUID(), body),
      });
      const requestId = answer.headers.get('x-request-id') ?? '';
      return { answer, traceId, callersSpanId, requestId };
    },
    async stop() {
      await stack.stop();
      await stopSinks();
    },
  };
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
