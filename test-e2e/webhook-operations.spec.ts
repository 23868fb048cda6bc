import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { type AdminClient, createAdminClient } from '../deploy/demo/admin-client.ts';
import type { Demo } from '../deploy/demo/demo-file.ts';
import { campaignOf, demoTenants } from '../deploy/demo/demo-tenants.ts';
import { createTributaryClient, type TributaryClient } from '../packages/client/src/client.ts';
import { sharedDemo } from './shared-stack.ts';

/** A customer of its own, whose receiver is in this process. */
describe('a webhook as operators run it', function () {
  this.timeout(120_000);
  const tenantId = `ops-${randomBytes(4).toString('hex')}`;
  const at = `/api/tenants/${tenantId}`;
  const by = 'olga@ops';
  let admin: AdminClient;
  let client: TributaryClient;
  let ucc: string;
  let receiver: Receiver;

  before(async () => {
    const demo = await sharedDemo();
    receiver = await startReceiver();
    admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    ({ client, ucc } = await createCustomer(demo));
  });
  after(() => receiver?.stop());
  beforeEach(() => receiver.takeAll());

  it('is tried with an event that receivers ignore, and nothing of it stays', async () => {
    const test = await admin.call<Body>('POST', `${at}/webhook/test`);
    expect(test).to.deep.include({ delivered: true, result: 'status', statusCode: 200 });
    expect(receiver.bodies()).to.deep.include({ eventId: test['eventId'], type: 'webhook-test' });
    expect(await deliveries()).to.deep.equal([]);
  });

  it('gets nothing while it is paused, and all of it once it is resumed', async () => {
    await admin.call('POST', `${at}/webhook/pause`, { by, reason: 'they move their servers' });
    await statusBecomes('paused');
    await buy();
    const [waiting] = await eventuallyListed('pending');
    expect(waiting).to.include({ attempts: 0 });
    expect(receiver.bodies()).to.deep.equal([]);
    await admin.call('POST', `${at}/webhook/resume`, { by });
    const [delivered] = await eventuallyListed('delivered');
    expect(delivered?.webhookEventId).to.equal(waiting?.webhookEventId);
    expect(receiver.bodies().map(({ eventId }) => eventId)).to.deep.equal([
      waiting?.webhookEventId,
    ]);
  });

  it('is sent again on request with the same eventId, and the explanation says by whom', async () => {
    const [{ webhookEventId, rewardId } = nothing] = await eventuallyListed('delivered');
    const resent = await admin.call('POST', `${at}/deliveries/${webhookEventId}/resend`, {
      by,
      note: 'they lost it',
    });
    expect(resent).to.include({ webhookEventId, round: 1 });
    await eventually(() => {
      expect(receiver.bodies().map(({ eventId }) => eventId)).to.deep.equal([webhookEventId]);
    });
    const text = await eventually(
      async () => {
        const found = await admin.call<{ text: string }>('GET', `${at}/explain?reward=${rewardId}`);
        expect(found.text).to.contain('delivered on attempt 2');
        return found.text;
      },
      { deadlineMs: 20_000 },
    );
    expect(text).to.match(/resent by olga@ops at \S+: they lost it\./);
    const shown = await eventually(async () => {
      const found = await admin.call<Shown>('GET', `${at}/deliveries/${webhookEventId}`);
      expect(found.delivery).to.include({ state: 'delivered', round: 1, attempts: 2 });
      return found;
    });
    expect(shown.attempts).to.have.length(2);
    expect(shown.resends).to.have.length(1);
    expect((JSON.parse(shown.payload) as Body)['eventId']).to.equal(webhookEventId);
  });

  it('waits without end while it is disabled, which its list calls no-endpoint', async () => {
    await admin.call('POST', `${at}/webhook/disable`, { by, reason: 'they left' });
    await statusBecomes('disabled');
    await buy();
    const [{ webhookEventId } = nothing] = await eventuallyListed('no-endpoint');
    await admin.call('POST', `${at}/webhook/resume`, { by, reason: 'they came back' });
    await eventually(() => {
      expect(receiver.bodies().map(({ eventId }) => eventId)).to.deep.equal([webhookEventId]);
    });
  });

  it('has its credentials exchanged while the receiver changes over when it likes', async () => {
    const old = receiver.authorization();
    type Rotated = { username: string; password: string; previousUntil: string };
    const rotated = await admin.call<Rotated>('POST', `${at}/webhook/rotate`, { overlapHours: 1 });
    await eventually(async () => {
      const { endpoint } = await status();
      expect(endpoint?.['credentialsOverlapUntil']).to.equal(rotated.previousUntil);
    });
    await buy();
    await eventually(() => expect(receiver.answers()).to.deep.equal([[old, 200]]));

    receiver.takeAll();
    const present = basic(rotated);
    receiver.accept(present);
    await buy();
    await eventually(() =>
      expect(receiver.answers()).to.deep.equal([
        [old, 401],
        [present, 200],
      ]),
    );
    await eventually(async () => {
      const [last] = await deliveries();
      expect(last).to.include({ state: 'delivered', attempts: 1 });
    });
  });

  async function createCustomer(demo: Demo) {
    await admin.call('POST', '/api/tenants', { tenantId, name: 'Operations' });
    type Key = { accessKeyId: string; secretAccessKey: string };
    const key = await admin.call<Key>('POST', `${at}/access-keys`, {});
    await admin.call('PUT', `${at}/campaigns/launch`, campaignOf(demoTenants[0]));
    const user = { productUserId: 'ada', campaignId: 'launch' };
    const code = await admin.call<{ ucc: string }>('POST', `${at}/codes`, user);
    type Credentials = { username: string; password: string };
    const { url } = receiver;
    receiver.accept(basic(await admin.call<Credentials>('PUT', `${at}/webhook`, { url })));
    const customer = createTributaryClient({ baseUrl: demo.baseUrl, ...key });
    // What the portal publishes takes a moment to reach the others, the several replicas too.
    await eventually(
      async () => {
        for (let i = 0; i < 4; i++) {
          expect(await customer.lookup(code.ucc)).to.include({ valid: true });
        }
      },
      { deadlineMs: 15_000 },
    );
    await statusBecomes('active');
    return { client: customer, ucc: code.ucc };
  }

  async function buy(): Promise<void> {
    const invoiceId = randomUUID();
    await client.purchaseCreated({
      ...{ ucc, occurredAt: new Date().toISOString(), newUser: { id: `user-of-${invoiceId}` } },
      ...{ currency: 'EUR', invoiceId, amount: 4900, subscription: { interval: 'monthly' } },
    });
  }

  const status = () => admin.call<{ endpoint?: Body }>('GET', `${at}/webhook`);
  const statusBecomes = (wanted: string) =>
    eventually(async () => expect((await status()).endpoint).to.include({ status: wanted }), {
      deadlineMs: 15_000,
    });

  async function deliveries(query = ''): Promise<Delivery[]> {
    const list = await admin.call<{ deliveries: Delivery[] }>('GET', `${at}/deliveries${query}`);
    return list.deliveries;
  }

  const eventuallyListed = (state: string) =>
    eventually(
      async () => {
        const found = await deliveries(`?state=${state}&recipient=ada`);
        expect(found).to.not.deep.equal([]);
        return found;
      },
      { deadlineMs: 20_000 },
    );
});

type Body = Record<string, unknown>;
type Delivery = { webhookEventId: string; rewardId: string; state: string; attempts: number };
type Shown = { delivery: Delivery; payload: string; attempts: unknown[]; resends: unknown[] };
const nothing: Delivery = { webhookEventId: '', rewardId: '', state: '', attempts: 0 };

function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Answers 200 to the credentials it accepts and 401 to others, and keeps what came. */
async function startReceiver() {
  const came: { authorization: string; status: number; eventId: string; type: string }[] = [];
  let accepted = '';
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { authorization = '' } = req.headers;
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, string>;
      const statusCode = authorization === accepted ? 200 : 401;
      came.push({
        authorization,
        status: statusCode,
        eventId: body['eventId'] ?? '',
        type: body['eventType'] ?? '',
      });
      res.writeHead(statusCode).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  return {
    url: `http://127.0.0.1:${address.port}/rewards`,
    accept: (authorization: string) => void (accepted = authorization),
    authorization: () => accepted,
    bodies: () => came.map(({ eventId, type }) => ({ eventId, type })),
    answers: () => came.map((one) => [one.authorization, one.status]),
    takeAll: () => void came.splice(0),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
