import { patiently } from '@tributary/testkit/patience';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';

/** Public HTTP calls as a customer's backend makes them, answers as they came. */
export type Answer = { status: number; headers: Headers; body: unknown };

export async function call(
  url: string,
  options: {
    method?: string;
    token?: string;
    headers?: Record<string, string>;
    body?: unknown;
  } = {},
): Promise<Answer> {
  const { method = 'GET', token, headers = {}, body } = options;
  const init: RequestInit = {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    signal: AbortSignal.timeout(patiently(20_000)),
  };
  if (body !== undefined) init.body = isRaw(body) ? body : JSON.stringify(body);
  const answer = await fetch(url, init);
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: parse(text) };
}

/** Sent as it is; anything else as JSON. */
function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export async function tokenFor(demo: Demo, tenant: DemoTenant): Promise<string> {
  const { accessKeyId, secretAccessKey } = tenant;
  const answer = await call(`${demo.baseUrl}/token`, {
    method: 'POST',
    body: { accessKeyId, secretAccessKey },
  });
  if (answer.status !== 201) throw new Error(`POST /token: ${answer.status}`);
  return (answer.body as { accessToken: string }).accessToken;
}

export function purchase(tenant: DemoTenant, invoiceId: string, more: object = {}): object {
  return {
    ucc: tenant.referrer.ucc,
    occurredAt: new Date().toISOString(),
    newUser: { id: `user-of-${invoiceId}`, email: `${invoiceId}@example.com`, name: 'Nova Buyer' },
    currency: 'EUR',
    invoiceId,
    amount: 4900,
    subscription: { interval: 'monthly' },
    ...more,
  };
}

export type Received = {
  deliveries: {
    body: {
      eventId: string;
      data: { rewardId: string; productUserId: string; reward: { amount: number } };
    };
  }[];
};

export async function receivedBy(tenant: DemoTenant): Promise<Received['deliveries']> {
  return ((await call(tenant.webhook.receivedUrl)).body as Received).deliveries;
}
