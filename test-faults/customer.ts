import { setTimeout as delay } from 'node:timers/promises';
import { patiently } from '@tributary/testkit/patience';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { purchase, tokenFor } from '../test-e2e/calls.ts';

/**
 * A customer's backend as it should behave: sends a purchase until it is accepted, with the same
 * idempotency key on every try, and remembers every eventId it was ever told.
 */
export type Customer = {
  buy(invoiceId: string, options?: { keyed?: boolean }): Promise<void>;
  /** eventIds of all 202 answers per invoice. */
  accepted: Map<string, Set<string>>;
  /** Answers and failures that made it try again, by kind. */
  retried: Map<string, number>;
};

export async function createCustomer(demo: Demo, tenant: DemoTenant): Promise<Customer> {
  const accepted = new Map<string, Set<string>>();
  const retried = new Map<string, number>();
  const token = await tokenFor(demo, tenant);

  async function tryOnce(body: string, key: string | undefined): Promise<string | undefined> {
    const answer = await fetch(`${demo.baseUrl}/v2/events/purchase-created`, {
      method: 'POST',
      signal: AbortSignal.timeout(patiently(15_000)),
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body,
    });
    if (answer.status === 202) return ((await answer.json()) as { eventId: string }).eventId;
    const text = await answer.text();
    if (answer.status < 500) throw new NotRetryable(`${answer.status}: ${text}`);
    count(retried, String(answer.status));
    return undefined;
  }

  return {
    accepted,
    retried,
    async buy(invoiceId, { keyed = true } = {}) {
      const key = keyed ? `key-${invoiceId}` : undefined;
      // Made once: a retry is the same request to the byte.
      const body = JSON.stringify(purchase(tenant, invoiceId));
      const deadline = Date.now() + patiently(120_000);
      for (let waitMs = 100; Date.now() < deadline; waitMs = Math.min(1_000, waitMs * 2)) {
        const eventId = await tryOnce(body, key).catch((error: unknown) => {
          if (error instanceof NotRetryable) throw error;
          count(retried, 'network');
          return undefined;
        });
        if (eventId !== undefined) {
          accepted.set(invoiceId, (accepted.get(invoiceId) ?? new Set()).add(eventId));
          return;
        }
        await delay(waitMs);
      }
      throw new Error(`${invoiceId} was not accepted in time`);
    },
  };
}

class NotRetryable extends Error {}

function count(counts: Map<string, number>, kind: string): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}
