import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../eventually.ts';
import { deliverAll, deliverEvent, signStripe } from './deliver-events.ts';
import { startFakeStripe, type FakeStripe } from './fake-stripe.ts';
import type { Json } from './fixtures.ts';

describe('a fake Stripe', () => {
  let fake: FakeStripe;

  beforeEach(async () => {
    fake = await startFakeStripe();
  });

  afterEach(() => fake.stop());

  type Asked = { method?: string; form?: Record<string, string>; idempotencyKey?: string };

  async function ask(path: string, { method = 'GET', form, idempotencyKey }: Asked = {}) {
    const response = await fetch(`${fake.url}/v1/${path}`, {
      method,
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      headers: {
        authorization: `Bearer ${fake.apiKey}`,
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
    });
    const body = (await response.json()) as Json & { data: Json[]; error: Json };
    return { status: response.status, headers: response.headers, body };
  }

  function makeRefunds(count: number): string[] {
    const { account } = fake;
    const { id: customerId } = account.customer();
    const lines = [{ amount: 1_000 }];
    const { charges } = account.paidInvoice({ customerId, currency: 'eur', lines });
    const chargeId = charges[0]?.id ?? '';
    return Array.from({ length: count }, (_, index) => {
      return account.refund({ chargeId, amount: 1, created: 1_700_000_000 + index }).refund.id;
    });
  }

  describe('lists', () => {
    it('are paged, the newest first', async () => {
      const ids = makeRefunds(5).reverse();
      const first = await ask('refunds?limit=2');
      expect(first.body['has_more']).to.equal(true);
      const second = await ask(`refunds?limit=3&starting_after=${ids[1]}`);
      expect(second.body['has_more']).to.equal(false);
      const seen = [...first.body.data, ...second.body.data].map(({ id }) => id);
      expect(seen).to.deep.equal(ids);
      const back = await ask(`refunds?limit=1&ending_before=${ids[2]}`);
      expect(back.body.data.map(({ id }) => id)).to.deep.equal([ids[1]]);
    });

    it('are filtered by time', async () => {
      const ids = makeRefunds(5);
      const { body } = await ask('refunds?created[gte]=1700000001&created[lt]=1700000003');
      expect(body.data.map(({ id }) => id)).to.deep.equal([ids[2], ids[1]]);
    });

    it('refuse a parameter that Stripe does not have, and a limit over 100', async () => {
      expect((await ask('refunds?foo=1')).body.error['code']).to.equal('parameter_unknown');
      expect((await ask('refunds?limit=101')).status).to.equal(400);
    });
  });

  it('shows ten lines of an invoice and has the others in a list', async () => {
    const lines = Array.from({ length: 23 }, (_, index) => ({ amount: index - 5 }));
    const { invoice } = fake.account.paidInvoice({ customerId: null, currency: 'bhd', lines });
    const { body } = await ask(`invoices/${invoice.id}`);
    expect(body['lines']).to.have.property('has_more', true);
    expect((body['lines'] as { data: Json[] }).data).to.have.length(10);
    const all = await ask(`invoices/${invoice.id}/lines?limit=100`);
    expect(all.body.data.map(({ amount }) => amount)).to.deep.equal(lines.map((l) => l.amount));
  });

  it('lowers what was refunded when a refund fails', async () => {
    const [first = '', second = ''] = makeRefunds(2);
    const { chargeId } = fake.account.failRefund(second);
    const { body } = await ask(`charges/${chargeId}?expand[]=refunds`);
    expect(body['amount_refunded']).to.equal(1);
    const refunds = (body['refunds'] as { data: Json[] }).data;
    const reported = refunds.map(({ id, status }) => [id, status]);
    expect(reported).to.deep.equal([
      [second, 'failed'],
      [first, 'succeeded'],
    ]);
  });

  describe('endpoints', () => {
    const form = {
      ...{ url: 'https://example.com/a', 'enabled_events[0]': 'invoice.paid' },
      ...{ 'enabled_events[1]': 'charge.refunded', 'metadata[connection]': 'c1' },
    };

    it('are made once for an Idempotency-Key, and give their secret away then alone', async () => {
      const asked = { method: 'POST', form, idempotencyKey: 'k1' };
      const made = await ask('webhook_endpoints', asked);
      expect(made.body['secret']).to.match(/^whsec_/);
      const again = await ask('webhook_endpoints', asked);
      expect(again.body).to.deep.equal(made.body);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      const listed = await ask('webhook_endpoints');
      expect(listed.body.data).to.have.length(1);
      const { secret: _, ...shown } = made.body as Json;
      expect(listed.body.data[0]).to.deep.equal(shown);
    });

    it('refuse another request with the same Idempotency-Key', async () => {
      await ask('webhook_endpoints', { method: 'POST', form, idempotencyKey: 'k1' });
      const other = {
        method: 'POST',
        form: { ...form, url: 'https://b.example' },
        idempotencyKey: 'k1',
      };
      const { status, body } = await ask('webhook_endpoints', other);
      expect([status, body.error['type']]).to.deep.equal([400, 'idempotency_error']);
    });

    it('are removed once', async () => {
      const { body } = await ask('webhook_endpoints', { method: 'POST', form });
      const path = `webhook_endpoints/${String(body['id'])}`;
      expect((await ask(path, { method: 'DELETE' })).body['deleted']).to.equal(true);
      expect((await ask(path, { method: 'DELETE' })).status).to.equal(404);
    });
  });

  describe('faults', () => {
    it('are met as often as told, by the requests told', async () => {
      const { id } = fake.account.customer();
      const path = /^\/v1\/customers\//;
      const fault = fake.fail({ path, answer: 'rate-limit', retryAfterSeconds: 7, times: 2 });
      expect((await ask('refunds')).status).to.equal(200);
      const first = await ask(`customers/${id}`);
      expect([first.status, first.headers.get('retry-after')]).to.deep.equal([429, '7']);
      expect((await ask(`customers/${id}`)).status).to.equal(429);
      expect((await ask(`customers/${id}`)).status).to.equal(200);
      expect(fault.hits()).to.equal(2);
      const statuses = fake.requests({ path }).map(({ status }) => status);
      expect(statuses).to.deep.equal([429, 429, 200]);
    });

    it('name the limit, as Stripe does, and send Retry-After only where told', async () => {
      fake.fail({ answer: 'rate-limit', reason: 'global-concurrency', times: 1 });
      const { status, headers } = await ask('refunds');
      expect(status).to.equal(429);
      expect(headers.get('stripe-rate-limited-reason')).to.equal('global-concurrency');
      expect(headers.get('retry-after')).to.equal(null);
    });

    for (const [answer, status] of [
      ['server-error', 500],
      ['unauthorized', 401],
      ['forbidden', 403],
      ['missing', 404],
    ] as const) {
      it(`answer ${status} until removed: ${answer}`, async () => {
        const fault = fake.fail({ answer });
        expect((await ask('refunds')).status).to.equal(status);
        fault.remove();
        expect((await ask('refunds')).status).to.equal(200);
      });
    }

    it('cut a connection, with and without half an answer', async () => {
      makeRefunds(1);
      for (const answer of ['cut', 'half'] as const) {
        fake.fail({ answer, times: 1 });
        const failed = await ask('refunds').catch((error: unknown) => error);
        expect(failed, answer).to.be.instanceOf(Error);
      }
      expect((await ask('refunds')).status).to.equal(200);
    });

    it('hang until they are removed', async () => {
      const fault = fake.fail({ answer: 'hang' });
      const hanging = ask('refunds').catch((error: unknown) => error);
      await eventually(() => expect(fault.hits()).to.equal(1));
      expect(fake.requests()[0]?.status).to.equal(undefined);
      fault.remove();
      expect(await hanging).to.be.instanceOf(Error);
    });

    it('hold an answer: what is asked is done at release', async () => {
      const customer = fake.account.customer({ ucc: 'OLD' });
      const hold = fake.hold({ path: `/v1/customers/${customer.id}` });
      const held = ask(`customers/${customer.id}`);
      await eventually(() => expect(hold.waiting()).to.equal(1));
      fake.account.updateCustomer(customer.id, { service_ucc: 'NEW' });
      hold.release();
      expect((await held).body['metadata']).to.deep.equal({ service_ucc: 'NEW' });
    });

    it('hold an answer to what was done already', async () => {
      const customer = fake.account.customer({ ucc: 'OLD' });
      const hold = fake.hold({ when: 'after' });
      const held = ask(`customers/${customer.id}`);
      await eventually(() => expect(hold.waiting()).to.equal(1));
      fake.account.updateCustomer(customer.id, { service_ucc: 'NEW' });
      hold.release();
      expect((await held).body['metadata']).to.deep.equal({ service_ucc: 'OLD' });
    });
  });

  it('refuses a key that it does not know', async () => {
    fake.setApiKeys(['rk_test_other']);
    expect((await ask('refunds')).status).to.equal(401);
  });

  it('goes away and comes back at the same place, with what it held', async () => {
    const { id } = fake.account.customer();
    await fake.goAway();
    expect(await ask(`customers/${id}`).catch((error: unknown) => error)).to.be.instanceOf(Error);
    await fake.comeBack();
    expect((await ask(`customers/${id}`)).status).to.equal(200);
  });

  describe('delivers', () => {
    type Came = { signature: string; body: string };
    let receiver: Server;
    let url: string;
    const came: Came[] = [];
    const refuseFirst = new Set<string>();

    beforeEach(async () => {
      came.length = 0;
      receiver = createServer((message, response) => {
        const chunks: Buffer[] = [];
        message.on('data', (chunk: Buffer) => chunks.push(chunk));
        message.on('end', () => {
          const body = Buffer.concat(chunks).toString('utf8');
          came.push({ signature: String(message.headers['stripe-signature']), body });
          const { id } = JSON.parse(body) as { id: string };
          response.writeHead(refuseFirst.delete(id) ? 503 : 200).end();
        });
      });
      await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    });

    afterEach(() => void receiver.close());

    const made = () => {
      makeRefunds(2);
      return fake.account.events;
    };
    const idOf = ({ body }: Came) => (JSON.parse(body) as { id: string }).id;

    it('in the order told, duplicates too, again until accepted', async () => {
      const [a, b, c] = made();
      if (!a || !b || !c) throw new Error('three events');
      refuseFirst.add(b.id);
      const options = { secrets: ['whsec_1'], shape: 'old', everyMs: 1 } as const;
      const deliveries = await deliverAll(url, [b, a, a, c], options);
      expect(deliveries.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      expect(came.map(idOf)).to.deep.equal([b.id, b.id, a.id, a.id, c.id]);
    });

    it('with the timestamp and the secrets told', async () => {
      const [event] = made();
      if (!event) throw new Error('an event');
      const signed = { secrets: ['whsec_1', 'whsec_2'], timestamp: 1_700_000_000 };
      await deliverEvent(url, event, { ...signed, shape: 'new' });
      expect(came[0]?.signature).to.equal(signStripe(event.body('new'), signed));
      expect(came[0]?.signature).to.match(/^t=1700000000,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    });

    it('by itself what a request causes: an invoice made and paid through the API', async () => {
      const post = async (path: string, form: Record<string, string> = {}) => {
        const { status, body } = await ask(path, { method: 'POST', form });
        expect(status, JSON.stringify(body)).to.equal(200);
        return body;
      };
      await post('webhook_endpoints', { url, 'enabled_events[]': 'invoice.paid' });
      const { id } = await post('customers', {
        ...{ payment_method: 'pm_card_visa', 'metadata[service_ucc]': 'ABC' },
        'invoice_settings[default_payment_method]': 'pm_card_visa',
      });
      const customer = String(id);
      const draft = await post('invoices', { customer, currency: 'eur', auto_advance: 'false' });
      expect(draft).to.include({ status: 'draft', total: 0, number: null });
      const invoice = String(draft['id']);
      await post('invoiceitems', { customer, invoice, currency: 'eur', amount: '4900' });
      expect((await ask(`invoices/${invoice}/pay`, { method: 'POST' })).status).to.equal(400);
      expect(await post(`invoices/${invoice}/finalize`)).to.include({ status: 'open' });
      expect(await post(`invoices/${invoice}/pay`)).to.include({
        ...{ status: 'paid', amount_paid: 4_900 },
      });
      await eventually(() => expect(came).to.have.length(1));
      const event = JSON.parse(came[0]?.body ?? '') as { type: string; data: { object: Json } };
      expect(event.type).to.equal('invoice.paid');
      expect(event.data.object).to.include({ id: invoice, customer, amount_paid: 4_900 });
    });

    it('no longer once it is stopped: what is under way is cut, and nothing is sent again', async () => {
      let cut = 0;
      const asked: string[] = [];
      receiver.removeAllListeners('request').on('request', (message, response) => {
        asked.push(String(message.url));
        response.on('close', () => (cut += 1));
      });
      const { account } = fake;
      await ask('webhook_endpoints', {
        ...{ method: 'POST', form: { url, 'enabled_events[]': 'invoice.paid' } },
      });
      const { id: customerId } = account.customer();
      const draft = { customer: customerId, currency: 'eur', auto_advance: 'false' };
      const { body } = await ask('invoices', { method: 'POST', form: draft });
      const invoice = String(body['id']);
      await ask(`invoices/${invoice}/finalize`, { method: 'POST' });
      await ask(`invoices/${invoice}/pay`, { method: 'POST' });
      await eventually(() => expect(asked).to.have.length(1));
      await fake.stop();
      // Sooner than it would give the attempt up by itself.
      await eventually(() => expect(cut).to.equal(1), { deadlineMs: 8_000, factor: 1 });
      expect(asked).to.have.length(1);
    });

    it('to the endpoints that want the kind, in the shape of their version', async () => {
      const form = { url, 'enabled_events[]': 'charge.refunded', api_version: '2022-11-15' };
      await ask('webhook_endpoints', { method: 'POST', form });
      await fake.deliver(made());
      const reported = came.map(({ body }) => JSON.parse(body) as Json);
      expect(reported.map(({ type }) => type)).to.deep.equal([
        'charge.refunded',
        'charge.refunded',
      ]);
      expect(reported[0]?.['api_version']).to.equal('2022-11-15');
      expect((reported[0]?.['data'] as { object: Json }).object).to.have.property('invoice');
    });
  });
});
