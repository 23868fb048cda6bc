import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspect, promisify } from 'node:util';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { createTributaryClient, type TributaryClient } from '../packages/client/src/client.ts';
import { TributaryProblem } from '../packages/client/src/errors.ts';
import {
  createPackedProject,
  type PackedProject,
  readmeSnippets,
} from '../packages/client/src/testing/packed-project.ts';
import type { PurchaseCreated } from '../packages/client/src/wire-types.ts';
import { call } from './calls.ts';
import { sharedDemo } from './shared-stack.ts';

describe('@tributary/client against the service', () => {
  let demo: Demo;
  let tenant: DemoTenant;
  let client: TributaryClient;

  before(async function () {
    this.timeout(180_000);
    demo = await sharedDemo();
    tenant = demo.tenants[0]!;
    client = clientAt(demo.baseUrl);
  });

  const clientAt = (baseUrl: string) =>
    createTributaryClient({
      baseUrl,
      accessKeyId: tenant.accessKeyId,
      secretAccessKey: tenant.secretAccessKey,
    });

  const user = () => ({
    ucc: tenant.referrer.ucc,
    occurredAt: new Date().toISOString(),
    newUser: { id: randomUUID() },
  });
  const purchase = (): PurchaseCreated => ({
    ...user(),
    ...{ currency: 'EUR', invoiceId: randomUUID(), amount: 4900 },
    subscription: { interval: 'monthly' },
  });

  it('reports all four events (4.1, 4.2)', async () => {
    const bought = purchase();
    const { subscription: _subscription, ...refund } = bought;
    for (const accepted of [
      await client.signupCreated(user()),
      await client.demoAttended(user()),
      await client.purchaseCreated(bought),
      await client.purchaseRefunded({ ...refund, amount: 900 }),
    ]) {
      expect(accepted).to.have.all.keys('eventId', 'receivedAt');
      expect(accepted.eventId).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    }
  });

  it('gets one eventId for twenty posts by one key, in header or body (4.1 rule 8)', async () => {
    const event = purchase();
    const idempotencyKey = `Bestellung ${randomUUID()} €`;
    const posts = Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0
        ? client.purchaseCreated(event, { idempotencyKey })
        : client.purchaseCreated({ ...event, idempotencyKey }),
    );
    expect(new Set((await Promise.all(posts)).map(({ eventId }) => eventId)).size).to.equal(1);
  });

  it('repeats a post whose answer was lost, and gets the event of the first', async () => {
    const proxy = await startLosingProxy(demo.baseUrl);
    try {
      const { eventId } = await clientAt(proxy.url).purchaseCreated(purchase());
      expect(proxy.eventIds).to.deep.equal([eventId, eventId]);
    } finally {
      await proxy.stop();
    }
  });

  it('reverses once what two processes report of one refund (decision 0021)', async function () {
    this.timeout(60_000);
    const path = `/api/tenants/${tenant.tenantId}`;
    await admin('PUT', `${path}/campaigns/twenty`, twentyCredits);
    const owner = { productUserId: `ada-${randomUUID()}`, campaignId: 'twenty' };
    const { ucc } = (await admin('POST', `${path}/codes`, owner)) as { ucc: string };
    const { subscription, ...bought } = { ...purchase(), ucc, amount: 4000 };
    const { eventId } = await client.purchaseCreated({ ...bought, subscription });
    const refund = { ...bought, amount: 1000 };

    const first = await client.purchaseRefunded(refund);
    const another = await clientAt(demo.baseUrl).purchaseRefunded(refund);
    await untilCredits(eventId, '15', new Set([first.eventId, another.eventId]));
    expect(another).to.deep.equal(first);

    const newUser = { ...refund.newUser, name: 'Cara Example' };
    const conflict = await problemOf(client.purchaseRefunded({ ...refund, newUser }));
    expect(conflict).to.include({ code: 'IDEMPOTENCY_CONFLICT', status: 409 });
    const second = await client.purchaseRefunded(refund, { idempotencyKey: randomUUID() });
    await untilCredits(eventId, '10', new Set([first.eventId, second.eventId]));
  });

  /** All of the refunds are decided, and so much of the purchase's reward is left. */
  async function untilCredits(eventId: string, credits: string, refunds: Set<string>) {
    const token = await client.accessToken();
    const ask = async (id: string) => {
      const answer = await call(`${demo.baseUrl}/api/events/${id}`, { token });
      return answer.body as { outcome: string; rewards: { entitledCredits: string }[] };
    };
    await eventually(
      async () => {
        for (const id of refunds) expect((await ask(id)).outcome).to.equal('attributed');
        const [reward] = (await ask(eventId)).rewards;
        expect(reward?.entitledCredits).to.equal(credits);
      },
      { deadlineMs: 40_000 },
    );
  }

  async function admin(method: string, path: string, body: object): Promise<unknown> {
    const url = `${demo.baseUrl}${path}`;
    const answer = await call(url, { method, token: demo.adminToken, body });
    expect(answer.status, JSON.stringify(answer.body)).to.be.below(300);
    return answer.body;
  }

  it('tells a key that belongs to another request (4.1 rule 9)', async () => {
    const idempotencyKey = randomUUID();
    await client.purchaseCreated(purchase(), { idempotencyKey });
    const error = await problemOf(client.purchaseCreated(purchase(), { idempotencyKey }));
    expect(error).to.include({ code: 'IDEMPOTENCY_CONFLICT', status: 409, attempts: 1 });
  });

  it('tells every violation of a request (4.1 rule 1)', async () => {
    const wrong = { ...purchase(), currency: 'eur', amount: -1, price: 1 };
    const error = await problemOf(client.purchaseCreated(wrong));
    expect(error).to.include({ code: 'VALIDATION_ERROR', status: 422 });
    expect(error.errors.map(({ pointer, code }) => `${pointer} ${code}`)).to.have.members([
      ...['/currency INVALID_ENUM', '/amount OUT_OF_RANGE', '/price UNKNOWN_FIELD'],
    ]);
    expect(error.instance).to.be.a('string');
  });

  it('hands on the warnings of an accepted event (2.7)', async () => {
    const { warnings } = await client.signupCreated({
      ...user(),
      occurredAt: '2001-01-01T00:00:00+01:00',
    });
    expect(warnings?.map(({ code }) => code)).to.deep.equal(['OCCURRED_AT_BACKDATED']);
  });

  it('looks codes up; what nobody can have is undefined (4.5)', async () => {
    const { ucc, productUserId } = tenant.referrer;
    expect(await client.lookup(ucc)).to.deep.equal({
      ...{ code: ucc, valid: true, productUserId, campaignId: tenant.campaignId },
    });
    for (const odd of [
      'unknown',
      '',
      '.',
      '..',
      '../token',
      'a/b',
      '%00',
      '\0',
      '🦊',
      'x'.repeat(300),
    ]) {
      expect(await client.lookup(odd), inspect(odd)).to.equal(undefined);
      expect(await client.activeLink(odd), inspect(odd)).to.equal(undefined);
    }
  });

  it('finds the active link of a user (4.6)', async () => {
    const link = await client.activeLink(tenant.referrer.productUserId);
    expect(link).to.have.all.keys('activeUcc', 'link');
    expect(link?.activeUcc).to.equal(tenant.referrer.ucc);
    const { searchParams } = new URL(link!.link);
    expect(Object.fromEntries(searchParams)).to.deep.equal({
      ...{ productId: tenant.productId, ucc: tenant.referrer.ucc },
    });
  });

  it('is refused with a wrong key pair, which no error shows (4.3)', async () => {
    const secretAccessKey = `${tenant.secretAccessKey}x`;
    const { accessKeyId } = tenant;
    const wrong = createTributaryClient({ baseUrl: demo.baseUrl, accessKeyId, secretAccessKey });
    const error = await problemOf(wrong.purchaseCreated(purchase()));
    expect(error).to.include({ code: 'UNAUTHORIZED', status: 401, operation: 'POST /token' });
    expect(inspect(error, { depth: Infinity })).to.not.include(tenant.secretAccessKey);
  });

  describe('installed from its tarball in an empty project', function () {
    this.timeout(120_000);
    let project: PackedProject;
    before(async () => (project = await createPackedProject()));
    after(() => project?.remove());

    it('reports a purchase in ten lines (its README)', async () => {
      const { 'report.mjs': report = '' } = await readmeSnippets();
      await project.write('report.mjs', report);
      const { stdout } = await promisify(execFile)(process.execPath, ['report.mjs'], {
        cwd: project.dir,
        env: {
          ...{ TRIBUTARY_URL: demo.baseUrl, UCC: tenant.referrer.ucc },
          ...{ ACCESS_KEY_ID: tenant.accessKeyId, ACCESS_KEY: tenant.secretAccessKey },
        },
      });
      expect(stdout).to.match(/eventId: '[0-9a-f]{8}-[0-9a-f]{4}-7/);
    });
  });
});

const twentyCredits = {
  name: 'Twenty credits',
  landingUrl: 'https://acme.example/twenty',
  creditScale: 2,
  rules: [
    {
      ruleId: 'purchase',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '20' },
    },
  ],
};

async function problemOf(call: Promise<unknown>): Promise<TributaryProblem> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  expect(error).to.be.instanceOf(TributaryProblem);
  return error as TributaryProblem;
}

/** Stands before the service, and cuts the connection in place of the first answer to an event. */
async function startLosingProxy(target: string) {
  const eventIds: string[] = [];
  async function forward(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { host: _host, connection: _connection, ...headers } = req.headers;
    const answer = await fetch(`${target}${req.url}`, {
      method: req.method!,
      headers: headers as Record<string, string>,
      body: await text(req),
    });
    const body = await answer.text();
    if (answer.status === 202) eventIds.push((JSON.parse(body) as { eventId: string }).eventId);
    if (answer.status === 202 && eventIds.length === 1) return void res.socket?.resetAndDestroy();
    res.writeHead(answer.status).end(body);
  }

  const server = createServer((req, res) => void forward(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    eventIds,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
