import { randomBytes, randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import type { EndpointState, StripeEvent } from '@tributary/testkit/stripe/account-state';
import { deliverBody, deliverEvent, signStripe } from '@tributary/testkit/stripe/deliver-events';
import type { FakeStripe } from '@tributary/testkit/stripe/fake-stripe';
import { expect } from 'chai';
import { type AdminClient, createAdminClient } from '../deploy/demo/admin-client.ts';
import type { Demo } from '../deploy/demo/demo-file.ts';
import { campaignOf, demoTenants } from '../deploy/demo/demo-tenants.ts';
import { type Answer, call } from './calls.ts';
import { startRewardReceiver } from './reward-receiver.ts';
import { sharedDemo, sharedStripe } from './shared-stack.ts';

type Connection = { connectionId: string; endpointId: string; webhookUrl: string; status: string };
type Check = { ok: boolean; findings: { check: string; ok: boolean; detail: string }[] };
type Item = { itemId: string; objectId: string; state: string; reason?: string; facts: number };
type Reconciled = {
  findings: { finding: string; objectId: string }[];
  appended: number;
  nextCursor: string | null;
};

/**
 * A customer who reports nothing: they connect Stripe and put two keys on their customers there.
 */
describe('a customer that connects Stripe', function () {
  this.timeout(120_000);
  const tenantId = `stripe-${randomBytes(4).toString('hex')}`;
  const at = `/api/tenants/${tenantId}`;
  let demo: Demo;
  let stripe: FakeStripe;
  let admin: AdminClient;
  let receiver: Awaited<ReturnType<typeof startRewardReceiver>>;
  let ucc: string;
  let connection: Connection;
  let endpoint: EndpointState;

  before(async () => {
    [demo, stripe, receiver] = await Promise.all([
      sharedDemo(),
      sharedStripe(),
      startRewardReceiver(),
    ]);
    admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    await admin.call('POST', '/api/tenants', { tenantId, name: 'Stripe customer' });
    await admin.call('PUT', `${at}/campaigns/launch`, campaignOf(demoTenants[0]));
    const user = { productUserId: 'ada', campaignId: 'launch' };
    ({ ucc } = await admin.call<{ ucc: string }>('POST', `${at}/codes`, user));
    await admin.call('PUT', `${at}/webhook`, { url: receiver.url });
  });
  after(() => receiver?.stop());

  const ask = (method: string, path: string, body?: object): Promise<Answer> =>
    call(`${demo.baseUrl}${path}`, {
      ...{ method, token: demo.adminToken },
      ...(body !== undefined && { body }),
    });

  const ofConnection = (verb = '') =>
    `${at}/processor-connections/${connection.connectionId}${verb}`;

  async function listed(query = ''): Promise<Item[]> {
    const { items } = await admin.call<{ items: Item[] }>('GET', `${at}/processor-items${query}`);
    return items;
  }

  /** Somebody who was referred, or of whom nothing is known. */
  function newCustomer(referred = true): string {
    const newUserId = `user-${randomUUID()}`;
    return stripe.account.customer(referred ? { ucc, newUserId } : {}).id;
  }

  function pay(customerId: string, amount = 4_900) {
    const lines = [{ amount }];
    return stripe.account.paidInvoice({ customerId, currency: 'eur', lines });
  }

  const send = (event: StripeEvent, secrets = [endpoint.secret]) =>
    deliverEvent(connection.webhookUrl, event, { secrets, shape: 'new' });

  const itemOf = (objectId: string, wanted: Partial<Item>): Promise<Item> =>
    eventually(
      async () => {
        const item = (await listed()).find((one) => one.objectId === objectId);
        expect(item).to.include(wanted);
        return item!;
      },
      { deadlineMs: 20_000 },
    );

  describe('connects', () => {
    it('is told what is wrong with a key that Stripe rejects, and nothing is connected', async () => {
      const answer = await ask('POST', `${at}/processor-connections`, {
        apiKey: 'rk_test_of_somebody_else',
      });
      expect(answer.status).to.be.oneOf([409, 422]);
      expect((answer.body as { detail: string }).detail).to.match(/key/i);
      expect(stripe.account.endpoints()).to.deep.equal([]);
    });

    it('has an endpoint made for the five kinds, which is checked with an event of our own', async () => {
      const apiKey = stripe.apiKey;
      const answer = await ask('POST', `${at}/processor-connections`, { apiKey, by: 'olga' });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      connection = answer.body as Connection;
      const { check } = answer.body as { check: Check };
      expect(check, JSON.stringify(check)).to.include({ ok: true });
      const endpoints = stripe.account.endpoints();
      expect(endpoints).to.have.length(1);
      endpoint = endpoints[0]!;
      expect(endpoint).to.include({ id: connection.endpointId, url: connection.webhookUrl });
      expect(connection.webhookUrl).to.equal(
        `${demo.baseUrl}/processor/stripe/${connection.connectionId}`,
      );
      expect([...endpoint.enabledEvents].sort()).to.deep.equal([
        'charge.refunded',
        'checkout.session.completed',
        'customer.subscription.created',
        'customer.subscription.updated',
        'invoice.paid',
      ]);
    });

    it('shows neither key nor secret to anybody', async () => {
      const answers = [
        await ask('GET', `${at}/processor-connections`),
        await ask('GET', ofConnection()),
        await ask('POST', ofConnection('/check')),
      ];
      for (const { status, body } of answers) {
        expect(status).to.equal(200);
        const text = JSON.stringify(body);
        expect(text).to.include(connection.connectionId);
        expect(text).to.not.include(stripe.apiKey).and.not.include(endpoint.secret);
      }
    });

    it('is given the same connection when it connects the same key again', async () => {
      const { apiKey } = stripe;
      const answer = await ask('POST', `${at}/processor-connections`, { apiKey });
      expect(answer.status).to.equal(200);
      expect(JSON.stringify(answer.body)).to.include(connection.connectionId);
      expect(stripe.account.endpoints()).to.have.length(1);
    });
  });

  describe('is paid through Stripe', () => {
    let invoiceId: string;
    let chargeId: string;

    it('rewards whoever referred, from the invoice to the webhook', async () => {
      const { invoice, charges, event } = pay(newCustomer());
      [invoiceId, chargeId] = [invoice.id, charges[0]!.id];
      const [answer] = await stripe.deliver([event]);
      expect(answer!.status).to.equal(200);
      expect(JSON.parse(answer!.body)).to.deep.equal({ received: true, id: event.id });
      await eventually(() => expect(receiver.rewards).to.have.length(1), { deadlineMs: 20_000 });
      expect(receiver.rewards[0]).to.deep.include({
        ...{ productUserId: 'ada', rewardType: 'credits', reward: { amount: 50 } },
      });
      await itemOf(invoiceId, { state: 'reported', facts: 1 });
    });

    it('answers a repeat the same, and counts it once', async () => {
      const [event] = stripe.account.events.slice(-1);
      const answer = await send(event!);
      expect([answer.status, JSON.parse(answer.body)]).to.deep.equal([
        200,
        { received: true, id: event!.id },
      ]);
      const item = await itemOf(invoiceId, { state: 'reported', facts: 1 });
      const shown = await admin.call<{ facts: { eventId: string }[] }>(
        'GET',
        `${at}/processor-items/${item.itemId}`,
      );
      expect(shown.facts).to.have.length(1);
      const { eventId } = shown.facts[0]!;
      const { text } = await admin.call<{ text: string }>('GET', `${at}/explain?event=${eventId}`);
      expect(text).to.include(invoiceId);
      expect(receiver.rewards).to.have.length(1);
    });

    it('takes the refunded part back, each refund once', async () => {
      const parts = [1_000, 900].map((amount) => stripe.account.refund({ chargeId, amount }).event);
      for (const event of [...parts].reverse()) await stripe.deliver([event, event]);
      const { itemId } = await itemOf(chargeId, { state: 'reported', facts: 2 });
      const { facts } = await admin.call<{ facts: { eventId: string }[] }>(
        'GET',
        `${at}/processor-items/${itemId}`,
      );
      const explained = await Promise.all(
        facts.map(({ eventId }) =>
          eventually(async () => {
            const path = `${at}/explain?event=${eventId}`;
            const { text } = await admin.call<{ text: string }>('GET', path);
            expect(text).to.include(invoiceId);
            return text;
          }),
        ),
      );
      // Further down it tells of the other refund too, once that is decided.
      for (const amount of ['10.00 EUR', '9.00 EUR']) {
        const own = explained.filter((text) => text.includes(`was refunded ${amount}`));
        expect(own, amount).to.have.length(1);
      }
    });

    it('lists a payment without metadata, which resolves by itself when they appear', async () => {
      const customerId = newCustomer(false);
      const { invoice, event } = pay(customerId);
      await stripe.deliver([event]);
      await itemOf(invoice.id, { state: 'unmatched', reason: 'no-metadata', facts: 0 });
      const unmatched = await listed('?state=unmatched&reason=no-metadata');
      expect(unmatched.map(({ objectId }) => objectId)).to.deep.equal([invoice.id]);
      stripe.account.updateCustomer(customerId, {
        ...{ service_ucc: ucc, new_user_id: `late-${randomUUID()}` },
      });
      // Whatever comes of the same customer is a reason to look again.
      await stripe.deliver([pay(customerId).event]);
      await itemOf(invoice.id, { state: 'reported', facts: 1 });
      expect(await listed('?state=unmatched')).to.deep.equal([]);
    });

    it('asks again when an operator wants it', async () => {
      const customerId = newCustomer(false);
      const { invoice, event } = pay(customerId);
      await stripe.deliver([event]);
      const { itemId } = await itemOf(invoice.id, { state: 'unmatched' });
      stripe.account.updateCustomer(customerId, {
        ...{ service_ucc: ucc, new_user_id: `asked-${randomUUID()}` },
      });
      await admin.call('POST', `${at}/processor-items/${itemId}/retry`, {});
      await itemOf(invoice.id, { state: 'reported', facts: 1 });
    });

    it('lists a payment with a code that nobody knows', async () => {
      const unknown = { ucc: 'nobodys-code', newUserId: `user-${randomUUID()}` };
      const { invoice, event } = pay(stripe.account.customer(unknown).id);
      await stripe.deliver([event]);
      await itemOf(invoice.id, { state: 'reported' });
      await eventually(async () => {
        const found = await listed('?reason=unknown-code');
        expect(JSON.stringify(found)).to.include(invoice.id);
      });
    });

    it('finds by reconciling what Stripe never reported, and appends it', async () => {
      const { invoice } = pay(newCustomer());
      const since = new Date(Date.now() - 3_600_000).toISOString();
      const reconcile = (append: boolean) =>
        admin.call<Reconciled>('POST', ofConnection('/reconcile'), {
          ...{ kind: 'invoices', since, append },
        });
      const before = await reconcile(false);
      expect(before.nextCursor).to.equal(null);
      expect(before.findings.map(({ finding, objectId }) => [finding, objectId])).to.deep.equal([
        ['missing', invoice.id],
      ]);
      expect(before.appended).to.equal(0);
      expect((await reconcile(true)).appended).to.equal(1);
      await itemOf(invoice.id, { state: 'reported', facts: 1 });
      expect((await reconcile(false)).findings).to.deep.equal([]);
    });
  });

  describe('is told nothing by others', () => {
    let event: StripeEvent;
    let body: string;
    const now = () => Math.floor(Date.now() / 1_000);
    const sign = (timestamp = now()) => signStripe(body, { secrets: [endpoint.secret], timestamp });

    before(() => {
      ({ event } = pay(newCustomer()));
      body = event.body('new');
    });
    after('and wrote nothing of it', async () => {
      await send(pay(newCustomer()).event).then(({ status }) => expect(status).to.equal(200));
      const objects = (await listed()).map(({ objectId }) => objectId);
      expect(objects).to.not.include((JSON.parse(body) as Body).data.object.id);
    });

    async function expectRefused(answer: Awaited<ReturnType<typeof deliverBody>>, detail: RegExp) {
      expect(answer.status, answer.body).to.equal(401);
      expect(answer.headers.get('www-authenticate')).to.match(/^Stripe-Signature/);
      expect(answer.headers.get('content-type')).to.match(/^application\/problem\+json/);
      const problem = JSON.parse(answer.body) as { code: string; detail: string };
      expect(problem.code).to.equal('UNAUTHORIZED');
      expect(problem.detail).to.match(detail);
      expect(answer.body).to.not.include(endpoint.secret);
    }

    const wrong: [title: string, detail: RegExp, header: () => string | undefined][] = [
      ['without a signature', /missing/, () => undefined],
      ['with an empty one', /missing/, () => ''],
      ['with one that is no signature', /malformed/, () => 'nonsense'],
      ['without a time', /malformed/, () => sign().replace(/^t=\d+,/, '')],
      ['with two times', /malformed/, () => `t=${now()},${sign()}`],
      ['signed by another scheme only', /v1/, () => sign().replace('v1=', 'v0=')],
      ['signed by another secret', /match/, () => signStripe(body, { secrets: ['whsec_x'] })],
      ['with the signature of another time', /match/, () => sign().replace(/^t=\d/, 't=2')],
      ['with half a signature', /match/, () => sign().slice(0, -32)],
      ['signed long ago', /past/, () => sign(now() - 310)],
      ['signed in the future', /future/, () => sign(now() + 300 + patiently(10))],
    ];
    for (const [title, detail, header] of wrong) {
      it(`refuses a webhook ${title}`, async () => {
        await expectRefused(await deliverBody(connection.webhookUrl, body, header()), detail);
      });
    }

    it('refuses a body that was written anew, with the same members', async () => {
      const anew = JSON.stringify(JSON.parse(body), null, 1);
      expect(JSON.parse(anew)).to.deep.equal(JSON.parse(body));
      await expectRefused(await deliverBody(connection.webhookUrl, anew, sign()), /match/);
      await expectRefused(await deliverBody(connection.webhookUrl, `${body} `, sign()), /match/);
    });

    it("refuses what another customer's Stripe signed for this connection", async () => {
      const other = `other-${randomBytes(4).toString('hex')}`;
      await admin.call('POST', '/api/tenants', { tenantId: other, name: 'Other' });
      const path = `/api/tenants/${other}/processor-connections/${connection.connectionId}`;
      for (const [method, verb] of [
        ['GET', ''],
        ['POST', '/check'],
        ['POST', '/rotate'],
      ] as const) {
        expect((await ask(method, `${path}${verb}`)).status, verb).to.equal(404);
      }
      const theirs = { secrets: ['whsec_of_the_other'] };
      const answer = await deliverBody(connection.webhookUrl, body, signStripe(body, theirs));
      await expectRefused(answer, /match/);
    });

    it('knows no other connection', async () => {
      const url = connection.webhookUrl.replace(
        connection.connectionId,
        '0123456789abcdef01234567',
      );
      expect((await deliverBody(url, body, sign())).status).to.equal(404);
      expect((await deliverBody(`${url}/more`, body, sign())).status).to.equal(404);
    });

    it('refuses more than 256 KiB', async () => {
      const large = JSON.stringify({ ...JSON.parse(body), padding: 'x'.repeat(256 * 1_024) });
      const signature = signStripe(large, { secrets: [endpoint.secret] });
      const answer = await deliverBody(connection.webhookUrl, large, signature);
      expect(answer.status, answer.body).to.equal(413);
      expect(JSON.parse(answer.body)).to.include({ code: 'PAYLOAD_TOO_LARGE' });
    });

    it('refuses what is signed and no event', async () => {
      for (const [text, status] of [
        ['{"id": ', 400],
        ['[]', 422],
        ['{"id":"evt_1","object":"event"}', 422],
      ] as const) {
        const signature = signStripe(text, { secrets: [endpoint.secret] });
        const answer = await deliverBody(connection.webhookUrl, text, signature);
        expect(answer.status, `${text}: ${answer.body}`).to.equal(status);
      }
    });

    it('takes a POST only', async () => {
      const answer = await call(connection.webhookUrl);
      expect(answer.status).to.equal(405);
      expect(answer.headers.get('allow')).to.include('POST');
    });

    it('takes a signature among several, as while a secret is rolled', async () => {
      const rolled = pay(newCustomer()).event;
      const answer = await deliverEvent(connection.webhookUrl, rolled, {
        ...{ secrets: ['whsec_new', endpoint.secret], shape: 'new', extra: ['v0=00'] },
      });
      expect(answer.status, answer.body).to.equal(200);
    });
  });

  describe('changes its connection', () => {
    it('takes the events of both secrets while a rotation overlaps', async () => {
      const old = endpoint;
      const rotated = await admin.call<Connection>('POST', ofConnection('/rotate'), {
        overlapHours: 1,
      });
      expect(rotated.endpointId).to.not.equal(old.id);
      const endpoints = stripe.account.endpoints();
      expect(endpoints.map(({ id }) => id)).to.have.members([old.id, rotated.endpointId]);
      endpoint = endpoints.find(({ id }) => id === rotated.endpointId)!;
      const { invoice, event } = pay(newCustomer());
      await eventually(async () => expect((await send(event)).status).to.equal(200));
      expect((await send(event, [old.secret])).status).to.equal(200);
      await itemOf(invoice.id, { state: 'reported', facts: 1 });
    });

    it('is told what is wrong when somebody removes the endpoint, and repairs it', async () => {
      stripe.account.remove(endpoint.id);
      const check = await admin.call<Check>('POST', ofConnection('/check'), {});
      expect(check.ok).to.equal(false);
      const failed = check.findings.filter(({ ok }) => !ok);
      expect(failed.map(({ detail }) => detail).join()).to.match(/endpoint/i);
      const repaired = await admin.call<Connection & Check>('POST', ofConnection('/repair'), {});
      expect(repaired, JSON.stringify(repaired)).to.include({ ok: true });
      endpoint = stripe.account.endpoints().find(({ id }) => id === repaired.endpointId)!;
      const { invoice, event } = pay(newCustomer());
      await eventually(async () => expect((await send(event)).status).to.equal(200));
      await itemOf(invoice.id, { state: 'reported', facts: 1 });
    });

    it('leaves no endpoint at Stripe when it disconnects, and nothing is taken any more', async () => {
      const input = { by: 'olga', reason: 'they leave' };
      const gone = await admin.call<Connection>('POST', ofConnection('/disconnect'), input);
      expect(gone.status).to.equal('disconnected');
      expect(stripe.account.endpoints()).to.deep.equal([]);
      const { event } = pay(newCustomer());
      await eventually(async () => expect((await send(event)).status).to.equal(404));
      // What it told is still there.
      expect(await listed('?state=reported')).to.not.be.empty;
    });
  });
});

type Body = { data: { object: { id: string } } };
