import { expect } from 'chai';
import { stripeApiVersions, stripeShapes } from './api-version.ts';
import { startFakeStripe, type FakeStripe } from './fake-stripe.ts';
import type { Json } from './fixtures.ts';
import { startStripeMock, stripeMockTimeoutMs, type StripeMock } from './stripe-mock.ts';

// What an object says is the account's; which members it has is Stripe's.

/** Shown by `expand` alone since 2022-11-15, yet always by stripe-mock. */
const onRequest = 'refunds';

for (const shape of stripeShapes) {
  describe(`objects of ${stripeApiVersions[shape]}`, function () {
    this.timeout(stripeMockTimeoutMs);
    let mock: StripeMock;
    let fake: FakeStripe;

    before(async () => {
      mock = await startStripeMock(shape);
      fake = await startFakeStripe();
    });

    after(async () => {
      await mock.stop();
      await fake.stop();
    });

    /** The objects at these places of an answer have the same members as stripe-mock's. */
    async function expectOfficial(path: string, places: readonly string[] = []): Promise<void> {
      const ours = await get(fake.url, path);
      const official = await get(mock.url, path);
      for (const place of ['', ...places]) {
        const expected = membersAt(official, place);
        expect(membersAt(ours, place), `${path} ${place}`).to.deep.equal(expected);
      }
    }

    async function get(url: string, path: string): Promise<Json> {
      const headers = { authorization: `Bearer ${fake.apiKey}`, 'stripe-version': mock.apiVersion };
      const answer = await fetch(`${url}/v1/${path}`, { headers });
      expect(answer.status, `${url} ${path}`).to.equal(200);
      return (await answer.json()) as Json;
    }

    function membersAt(answer: Json, place: string): string[] {
      const steps = place === '' ? [] : place.split('.');
      const found = steps.reduce((at, step) => at[step] as Json, answer);
      return Object.keys(found)
        .filter((name) => name !== onRequest)
        .sort();
    }

    function subscribed() {
      const { account } = fake;
      const { id: customerId } = account.customer({ ucc: 'ABC', newUserId: 'u-1' });
      const interval = { unit: 'month', count: 1 } as const;
      const price = account.price({ currency: 'eur', unitAmount: 900, interval });
      const { subscription } = account.subscription({ customerId, priceId: price.id });
      return { account, customerId, price, subscriptionId: subscription.id };
    }

    it('have the members of stripe-mock: customers, prices, subscriptions', async () => {
      const { account, customerId, price, subscriptionId } = subscribed();
      await expectOfficial(`customers/${customerId}`);
      await expectOfficial(`prices/${price.id}`, ['recurring']);
      const item = 'items.data.0';
      await expectOfficial(`subscriptions/${subscriptionId}`, ['items', item, `${item}.price`]);
      account.deleteCustomer(customerId);
      expect(await get(fake.url, `customers/${customerId}`)).to.have.property('deleted', true);
    });

    it('have the members of stripe-mock: invoices, their lines and payments, refunds', async () => {
      const { account, customerId, price, subscriptionId } = subscribed();
      const { invoice, charges, intents } = account.paidInvoice({
        ...{ customerId, subscriptionId, currency: 'eur' },
        lines: [{ amount: -450, proration: true, priceId: price.id }, { amount: 900 }],
      });
      const line = 'lines.data.0';
      const ofLine = shape === 'new' ? ['parent', 'parent.invoice_item_details'] : ['price'];
      const parts = ofLine.map((part) => `${line}.${part}`);
      await expectOfficial(`invoices/${invoice.id}`, [
        'status_transitions',
        'lines',
        line,
        ...parts,
      ]);
      await expectOfficial(`invoices/${invoice.id}/lines`, ['data.0']);
      await expectOfficial('invoices', ['data.0']);
      await expectOfficial(`payment_intents/${intents[0]?.id}`);
      await expectOfficial(`charges/${charges[0]?.id}`);
      const { refund } = account.refund({ chargeId: charges[0]?.id ?? '' });
      await expectOfficial(`refunds/${refund.id}`);
      if (shape === 'new') {
        await expectOfficial(`invoice_payments?invoice=${invoice.id}`, ['data.0']);
      }
    });

    it('have the members of stripe-mock: checkout sessions and webhook endpoints', async () => {
      const { account, customerId } = subscribed();
      const { id: priceId } = account.price({ currency: 'eur', unitAmount: 4_900 });
      const lines = [{ amount: 4_900, priceId }];
      const { session } = account.checkout({ customerId, currency: 'eur', lines });
      await expectOfficial(`checkout/sessions/${session.id}`);
      const items = `checkout/sessions/${session.id}/line_items`;
      await expectOfficial(items, ['data.0', 'data.0.price']);
      // Nobody listens there when the next test has an invoice paid.
      const form = { url: 'http://127.0.0.1:1/', 'enabled_events[]': 'invoice.paid' };
      await fetch(`${fake.url}/v1/webhook_endpoints`, {
        ...{ method: 'POST', body: new URLSearchParams(form) },
        headers: { authorization: `Bearer ${fake.apiKey}` },
      });
      await expectOfficial('webhook_endpoints', ['data.0']);
    });

    it('are made by requests that stripe-mock takes: a customer, an invoice, its payment', async () => {
      async function post(url: string, path: string, form: Record<string, string> = {}) {
        const headers = {
          ...{ authorization: `Bearer ${fake.apiKey}`, 'stripe-version': mock.apiVersion },
        };
        const answer = await fetch(`${url}/v1/${path}`, {
          ...{ method: 'POST', headers, body: new URLSearchParams(form) },
        });
        const body = (await answer.json()) as Json;
        expect(answer.status, `${url} ${path} ${JSON.stringify(body)}`).to.equal(200);
        return String(body['id']);
      }
      for (const { url } of [fake, mock]) {
        const customer = await post(url, 'customers', {
          ...{ payment_method: 'pm_card_visa', 'metadata[service_ucc]': 'ABC' },
          'invoice_settings[default_payment_method]': 'pm_card_visa',
        });
        const form = { customer, currency: 'eur', auto_advance: 'false' };
        const invoice = await post(url, 'invoices', form);
        await post(url, 'invoiceitems', { customer, invoice, currency: 'eur', amount: '4900' });
        await post(url, `invoices/${invoice}/finalize`);
        await post(url, `invoices/${invoice}/pay`);
      }
    });
  });
}
