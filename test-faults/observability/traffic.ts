import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Demo, DemoTenant } from '../../deploy/demo/demo-file.ts';
import { widgetToken } from '../../test-e2e/browser/widget-token.ts';
import { type Answer, call, purchase, tokenFor } from '../../test-e2e/calls.ts';

export type Traffic = {
  /** One purchase, with an idempotency key where asked for. */
  buy(options?: { keyed?: boolean }): Promise<Answer>;
  /** A little of everything that customers do. */
  round(): Promise<void>;
  /** Rounds one after the other, until it is stopped; what is refused meanwhile is no failure. */
  keepOn(pauseMs: number): { stop(): Promise<void> };
};

export async function createTraffic({ demo }: { demo: Demo }): Promise<Traffic> {
  const tenant = demo.tenants[0] as DemoTenant;
  const token = await tokenFor(demo, tenant);
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call(`${demo.baseUrl}${path}`, { method: 'POST', token, body, headers });

  const buy = ({ keyed = false } = {}) => {
    const headers = keyed ? { 'idempotency-key': randomUUID() } : {};
    return post('/v2/events/purchase-created', purchase(tenant, randomUUID(), {}), headers);
  };

  function reportTheOldWay(): Promise<Answer> {
    const id = randomUUID();
    return post('/events', {
      eventName: 'ReferralUpdated',
      payload: { ucc: tenant.referrer.ucc, newUserId: id, price: 4900, currency: 'EUR' },
      context: {
        event: { trigger: 'invoice-paid', timestamp: '2026-03-01 10:00:00' },
        newUser: { id, name: 'Nova Buyer', email: 'nova@example.com' },
        subscription: { invoiceId: id },
      },
    });
  }

  /** By another user each time: one who comes too often is refused. */
  function openWidget(): Promise<Answer> {
    const body = { token: widgetToken(tenant, randomUUID()), productUserDetails: {} };
    return call(`${demo.assetsUrl}/widget/session`, { method: 'POST', body });
  }

  async function round(): Promise<void> {
    const unknownCode = purchase(tenant, randomUUID(), { ucc: 'nobody-has-it' });
    await Promise.all([
      ...[buy(), buy(), buy({ keyed: true }), reportTheOldWay(), openWidget()],
      post('/v2/events/purchase-created', unknownCode),
      post('/v2/events/purchase-created', {}),
    ]);
  }

  return {
    buy,
    round,
    keepOn(pauseMs) {
      const stopping = new AbortController();
      const { signal } = stopping;
      const running = (async () => {
        while (!signal.aborted) {
          await round().catch(() => undefined);
          await delay(pauseMs, undefined, { signal }).catch(() => undefined);
        }
      })();
      return {
        async stop() {
          stopping.abort();
          await running;
        },
      };
    },
  };
}
