import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { type AdminClient, createAdminClient } from '../../deploy/demo/admin-client.ts';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { createTributaryClient, type TributaryClient } from '../../packages/client/src/client.ts';

/** A customer of its own, whose endpoint is in this process. */
export type CustomerOfPages = {
  tenantId: string;
  /** Where the API's paths about this tenant begin. */
  at: string;
  admin: AdminClient;
  client: TributaryClient;
  ucc: string;
  receiver: Receiver;
  /** Somebody new buys by ada's code. */
  buy: (invoiceId: string, newUser?: { id: string; name?: string }) => Promise<void>;
};

export type Rule = Record<string, unknown>;

/** What gives the referrer ten credits for a purchase. */
export const purchaseRule: Rule = {
  ...{ ruleId: 'purchase', trigger: 'purchase-created', recipient: 'referrer' },
  effect: { kind: 'fixed', credits: '10' },
};

export async function createCustomerOfPages(
  demo: Demo,
  {
    rules = [purchaseRule],
    name = 'Customer of the pages',
    more = {},
  }: { rules?: Rule[]; name?: string; more?: Record<string, unknown> } = {},
): Promise<CustomerOfPages> {
  const { baseUrl } = demo;
  const admin = createAdminClient({ baseUrl, token: demo.adminToken });
  const tenantId = `pages-${randomBytes(4).toString('hex')}`;
  const at = `/api/tenants/${tenantId}`;
  const receiver = await startReceiver();
  await admin.call('POST', '/api/tenants', { tenantId, name });
  type Key = { accessKeyId: string; secretAccessKey: string };
  const key = await admin.call<Key>('POST', `${at}/access-keys`, {});
  await admin.call('PUT', `${at}/campaigns/launch`, {
    ...{ name: 'Launch', status: 'running', landingUrl: 'https://pages.example/join' },
    ...{ creditScale: 2, rules, ...more },
  });
  const user = { productUserId: 'ada', campaignId: 'launch' };
  const { ucc } = await admin.call<{ ucc: string }>('POST', `${at}/codes`, user);
  await admin.call('PUT', `${at}/webhook`, { url: receiver.url });
  const client = createTributaryClient({ baseUrl, ...key });
  await untilKnown(client, ucc);
  const buy: CustomerOfPages['buy'] = async (invoiceId, newUser) => {
    await client.purchaseCreated({
      ...{ ucc, occurredAt: new Date().toISOString(), currency: 'EUR', invoiceId, amount: 4_900 },
      ...{ newUser: newUser ?? { id: `user-of-${invoiceId}` } },
      subscription: { interval: 'monthly' },
    });
  };
  return { tenantId, at, admin, client, ucc, receiver, buy };
}

/** What the portal publishes takes a moment to reach the others, the several replicas too. */
async function untilKnown(client: TributaryClient, ucc: string): Promise<void> {
  await eventually(
    async () => {
      for (let i = 0; i < 4; i++) expect(await client.lookup(ucc)).to.include({ valid: true });
    },
    { deadlineMs: 30_000 },
  );
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** An endpoint that answers as it is told, and keeps the ids of the events it was sent. */
export async function startReceiver() {
  const eventIds: string[] = [];
  let status = 200;
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      eventIds.push((JSON.parse(body) as { eventId: string }).eventId);
      res.writeHead(status).end(status === 200 ? 'thank you' : 'we are ill');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/rewards`,
    eventIds,
    answer: (next: number) => void (status = next),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
