import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { issuanceCodec, issuanceSchemaVersion } from '@tributary/contracts/issuance-record';
import { recordKey } from '@tributary/contracts/topics';
import { createAppender } from '@tributary/event-log/appender';
import { silentLogger } from '@tributary/event-log/testing';
import { parseKeyRing } from '@tributary/runtime/key-rings';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { deliverBody, signStripe } from '@tributary/testkit/stripe/deliver-events';
import { expect } from 'chai';
import { widgetToken } from '../../test-e2e/browser/widget-token.ts';
import { connectionOf, recordOf } from '../processor/connections.ts';
import type { KeyDeployment } from './deployment.ts';

export type Traffic = Awaited<ReturnType<typeof startTraffic>>;

const tenantId = 'acme';
const pauseMs = 50;

/**
 * Everything that needs a key, all the time: tokens and events, legacy payments, widget sessions,
 * webhooks, events of Stripe. Nothing of it may be refused.
 */
export async function startTraffic(deployment: KeyDeployment) {
  const { admin, urlOf, topics } = deployment;
  const receiver = await startReceiver();
  const customer = await setUp(deployment, receiver.url);
  const appender = createAppender({
    kafka: topics.kafka,
    logger: silentLogger,
    deadlineMs: 30_000,
  });
  await appender.start();
  const connection = connectionOf(tenantId);
  const ring = parseKeyRing(deployment.first['TRIBUTARY_PROCESSOR_KEY_RING'] ?? '');
  await topics.append([recordOf(connection, { keyRing: ring, apiKey: 'rk_test_none' })]);

  const done = { tokens: 0, events: 0, legacy: 0, sessions: 0, stripe: 0, webhooks: 0 };
  const failures: string[] = [];
  const sent = new Set<string>();
  let token = await newToken();
  let isOver = false;

  async function newToken(): Promise<string> {
    const { accessKeyId, secretAccessKey } = customer;
    const answer = await post(`${urlOf('ingest-api')}/token`, { accessKeyId, secretAccessKey });
    return `Bearer ${(answer as { accessToken: string }).accessToken}`;
  }

  const work: Record<keyof typeof done, () => Promise<unknown>> = {
    async tokens() {
      token = await newToken();
      await delay(500);
    },
    events: () =>
      post(`${urlOf('ingest-api')}/v2/events/purchase-created`, purchase(), {
        authorization: token,
        'idempotency-key': randomUUID(),
      }),
    legacy: () => post(`${urlOf('legacy-events')}/events`, legacyEvent(), { authorization: token }),
    sessions: () =>
      post(`${urlOf('widget')}/widget/session`, {
        token: widgetToken(customer, 'ada'),
        productUserDetails: {},
      }),
    async stripe() {
      const body = stripeEvent();
      const url = `${urlOf('processor-events')}/processor/stripe/${connection.connectionId}`;
      const signature = signStripe(body, { secrets: [connection.signingSecret] });
      const answer = await deliverBody(url, body, signature);
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
    },
    async webhooks() {
      const issuance = issuanceOf();
      sent.add(issuance.webhookEventId);
      const key = recordKey(tenantId, issuance.recipientId);
      const value = issuanceCodec.encode(issuance);
      await appender.append([{ topic: topics.nameOf('issuances'), key, value }]);
    },
  };

  function purchase() {
    const id = randomBytes(8).toString('hex');
    return {
      ...{ ucc: customer.ucc, occurredAt: new Date().toISOString(), newUser: { id } },
      ...{ currency: 'EUR', invoiceId: id, amount: 4_900 },
      subscription: { interval: 'monthly' },
    };
  }

  // What was set up a moment ago is known to everybody before anything is counted.
  for (const one of Object.values(work)) {
    await eventually(one, { deadlineMs: 60_000, everyMs: 200 });
  }
  const loops = Object.entries(work).map(async ([kind, one]) => {
    while (!isOver) {
      await one().then(
        () => void (done[kind as keyof typeof done] += 1),
        (error: unknown) => void failures.push(`${kind}: ${describe(error)}`),
      );
      await delay(pauseMs);
    }
  });

  return {
    failures,
    counts: () => ({ ...done }),
    /** More of everything than there was, by so many. */
    async goOn(more: number): Promise<void> {
      const before = { ...done };
      await eventually(
        () => {
          for (const kind of Object.keys(done) as (keyof typeof done)[]) {
            expect(done[kind], kind).to.be.at.least(before[kind] + (kind === 'tokens' ? 1 : more));
          }
        },
        { deadlineMs: 60_000, everyMs: 100 },
      );
    },
    /** Every webhook arrived, each with the customer's credentials and none with others. */
    async expectWebhooks(): Promise<void> {
      await eventually(
        () => expect([...sent].filter((id) => !receiver.arrived.has(id))).to.deep.equal([]),
        { deadlineMs: 60_000, everyMs: 200 },
      );
      expect(receiver.wrong).to.deep.equal([]);
    },
    /** With the credentials that every process has now. */
    admin,
    async stop() {
      isOver = true;
      await Promise.all(loops);
      await appender.stop();
      receiver.close();
    },
  };
}

async function setUp({ admin }: KeyDeployment, url: string) {
  const at = `/api/tenants/${tenantId}`;
  type Product = { productId: string; productSecret: string };
  const { productId, productSecret } = await admin.call<Product>('POST', '/api/tenants', {
    ...{ tenantId, name: 'Acme' },
  });
  const effect = { kind: 'fixed', credits: '1' };
  const rule = { ruleId: 'p', trigger: 'purchase-created', recipient: 'referrer', effect };
  const campaign = { name: 'c', landingUrl: 'https://acme.example/', rules: [rule] };
  await admin.call('PUT', `${at}/campaigns/c1`, campaign);
  const { ucc } = await admin.call<{ ucc: string }>('POST', `${at}/codes`, {
    ...{ productUserId: 'ada', campaignId: 'c1' },
  });
  await admin.call('PUT', `${at}/webhook`, { url, username: 'hook', password: 'hook-password' });
  type Pair = { accessKeyId: string; secretAccessKey: string };
  const pair = await admin.call<Pair>('POST', `${at}/access-keys`, {});
  return { productId, productSecret, ucc, ...pair };
}

async function startReceiver() {
  const arrived = new Set<string>();
  const wrong: string[] = [];
  const right = `Basic ${Buffer.from('hook:hook-password').toString('base64')}`;
  const server = createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    req.on('end', () => {
      const isRight = req.headers.authorization === right;
      if (isRight) arrived.add((JSON.parse(body) as { eventId: string }).eventId);
      else wrong.push(req.headers.authorization ?? 'nothing');
      res.writeHead(isRight ? 200 : 401).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrived,
    wrong,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @throws whatever is not taken. */
async function post(url: string, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://acme.example', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(patiently(20_000)),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text}`);
  return JSON.parse(text) as unknown;
}

function legacyEvent() {
  const id = randomBytes(8).toString('hex');
  return {
    eventName: 'ReferralUpdated',
    payload: { ucc: 'CODE1', newUserId: id, price: 4_900, currency: 'EUR' },
    context: {
      event: { trigger: 'invoice-paid', timestamp: '2026-03-01 10:00:00' },
      subscription: { invoiceId: id },
    },
  };
}

/** Its kind is noted and makes no fact. */
function stripeEvent(): string {
  const created = Math.floor(Date.now() / 1_000);
  const id = `evt_${randomBytes(12).toString('hex')}`;
  const object = { id: 'cus_1', object: 'customer' };
  return JSON.stringify({
    ...{ id, object: 'event', type: 'customer.created', api_version: '2026-08-26.dahlia' },
    ...{ created, livemode: false, data: { object } },
  });
}

function issuanceOf() {
  return {
    ...{ schemaVersion: issuanceSchemaVersion, type: 'issued' as const, tenantId },
    ...{ issuanceId: randomUUID(), rewardId: randomUUID(), webhookEventId: randomUUID() },
    ...{ campaignId: 'c1', recipientId: `referrer-${randomUUID()}` },
    ...{ rewardType: 'credits' as const, credits: '1', issuedAt: new Date().toISOString() },
  };
}

function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
