import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DemoTenant } from './demo-file.ts';

/** One purchase from the API to the customer's webhook, as it happened. */
export type MainJob = {
  token: { request: string; status: number; body: unknown };
  purchase: { path: string; headers: Record<string, string>; body: unknown };
  accepted: { status: number; body: unknown; tookMs: number };
  webhook: Delivery;
  /** From the arrival of the 202 to the receiver's note of the webhook. */
  acceptedToWebhookMs: number;
};

export type Delivery = {
  receivedAt: string;
  headers: Record<string, string>;
  body: { eventId: string; data: { productUserId: string } };
  duplicate: boolean;
};

/**
 * Plays the main job through the edge the way a customer's backend would. Set-up that has just
 * been made takes a moment to reach every service, so the token is asked for until it is given.
 */
export async function playMainJob(settings: {
  baseUrl: string;
  tenant: DemoTenant;
  /** What the receiver got for this tenant, as seen from here. */
  receivedUrl: string;
  deadlineMs: number;
}): Promise<MainJob> {
  const { baseUrl, tenant, receivedUrl } = settings;
  const deadline = Date.now() + settings.deadlineMs;
  const token = await askForToken(baseUrl, tenant, deadline);
  const before = new Set(
    (await deliveriesOf(receivedUrl)).map((delivery) => delivery.body.eventId),
  );

  const purchase = purchaseOf(tenant);
  const startedAt = Date.now();
  const answer = await postJson(`${baseUrl}${purchase.path}`, purchase.body, {
    ...purchase.headers,
    authorization: `Bearer ${token.accessToken}`,
  });
  const acceptedAt = Date.now();
  const accepted = { status: answer.status, body: answer.body, tookMs: acceptedAt - startedAt };
  if (answer.status !== 202) {
    throw new Error(`the purchase was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  const webhook = await awaitWebhook(tenant, receivedUrl, before, deadline);
  const acceptedToWebhookMs = Math.max(0, Date.parse(webhook.receivedAt) - acceptedAt);
  return { token: token.exchange, purchase, accepted, webhook, acceptedToWebhookMs };
}

function purchaseOf(tenant: DemoTenant) {
  const run = randomUUID().slice(0, 8);
  return {
    path: '/v2/events/purchase-created',
    headers: { 'content-type': 'application/json', 'idempotency-key': `demo-${run}` },
    body: {
      ucc: tenant.referrer.ucc,
      occurredAt: new Date().toISOString(),
      newUser: { id: `new-user-${run}`, email: 'sam@example.com', name: 'Sam Example' },
      currency: 'USD',
      invoiceId: `inv-${run}`,
      amount: 4900,
      subscription: { interval: 'monthly' },
    },
  };
}

async function askForToken(baseUrl: string, tenant: DemoTenant, deadline: number) {
  const { accessKeyId, secretAccessKey } = tenant;
  for (;;) {
    const answer = await postJson(`${baseUrl}/token`, { accessKeyId, secretAccessKey }, {});
    if (answer.status === 201) {
      const { accessToken } = answer.body as { accessToken: string };
      const request = `POST /token {"accessKeyId":"${accessKeyId}","secretAccessKey":"…"}`;
      return { accessToken, exchange: { request, status: answer.status, body: answer.body } };
    }
    if (Date.now() > deadline) {
      throw new Error(`no token: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    await delay(50);
  }
}

async function awaitWebhook(
  tenant: DemoTenant,
  receivedUrl: string,
  before: Set<string>,
  deadline: number,
) {
  for (;;) {
    const deliveries = await deliveriesOf(receivedUrl);
    const fresh = deliveries.find(
      ({ body }) =>
        !before.has(body.eventId) && body.data.productUserId === tenant.referrer.productUserId,
    );
    if (fresh !== undefined) return fresh;
    if (Date.now() > deadline) throw new Error(`no webhook arrived at ${tenant.webhook.url}`);
    await delay(20);
  }
}

async function deliveriesOf(receivedUrl: string): Promise<Delivery[]> {
  const response = await fetch(`${receivedUrl}?newest=20`, { signal: AbortSignal.timeout(60_000) });
  return ((await response.json()) as { deliveries: Delivery[] }).deliveries;
}

async function postJson(url: string, body: unknown, headers: Record<string, string>) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  return { status: response.status, body: parseOrText(text) };
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
