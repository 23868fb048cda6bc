import type { FetchedType } from '@tributary/contracts/processor-record';
import { patiently } from '@tributary/testkit/patience';
import { stripeShapes } from '@tributary/testkit/stripe/api-version';
import {
  startStripeMock,
  type StripeMock,
  stripeMockTimeoutMs,
} from '@tributary/testkit/stripe/stripe-mock';
import { expect } from 'chai';
import type { StripeAccount, StripeApi } from './api.ts';
import { createStripeApi } from './create-stripe-api.ts';
import { unpaced } from '../testing/unpaced.ts';

const ids: Record<FetchedType, string> = {
  customer: 'cus_1',
  price: 'price_1',
  invoice: 'in_1',
  'checkout-session': 'cs_test_1',
  charge: 'ch_1',
  refunds: 'ch_1',
  'invoice-payments': 'in_1',
  'payment-invoice': 'pi_1',
  'invoice-lines': 'in_1',
  'session-lines': 'cs_test_1',
  'payment-intent': 'pi_1',
};
const types = Object.keys(ids) as FetchedType[];

for (const shape of stripeShapes) {
  describe(`stripe adapter and the official stripe-mock of the ${shape} shape`, () => {
    let mock: StripeMock;
    let stripe: StripeApi;
    let account: StripeAccount;

    before(async function () {
      this.timeout(stripeMockTimeoutMs);
      mock = await startStripeMock(shape);
      stripe = createStripeApi({ url: mock.url, timeoutMs: patiently(10_000), pace: unpaced });
      const { apiVersion } = mock;
      account = { connectionId: 'c0nnection00000000', apiKey: 'rk_test_123', apiVersion };
    });
    after(() => mock.stop());

    for (const type of types) {
      it(`asks for ${type} as it is described, and reads the answer`, async () => {
        const answer = await stripe.fetch(account, { type, id: ids[type] });
        if (answer.outcome !== 'object') throw new Error(answer.detail);
        expect(answer.object.object).to.equal(type);
      });
    }

    it('finds the session of a payment', async () => {
      const answer = await stripe.fetch(account, { type: 'checkout-session', id: 'pi_1' });
      expect(answer).to.have.nested.property('object.object', 'checkout-session');
    });

    it('lists as it is described, and reads what is listed', async () => {
      for (const kind of ['invoices', 'sessions', 'refunds'] as const) {
        const page = await stripe.list(account, { kind, createdSince: 0, limit: 100 });
        if (page.outcome !== 'page') throw new Error(page.detail);
        for (const each of page.listed) expect(each.object, kind).to.not.equal(null);
      }
    });

    it('makes, lists and removes webhook endpoints as it is described', async () => {
      const url = 'https://example.com/processor/stripe/c0nnection00000000';
      const made = await stripe.endpoints.create(account, { url, idempotencyKey: 'one' });
      if (made.outcome !== 'endpoint') throw new Error(made.detail);
      expect(await stripe.endpoints.list(account)).to.have.property('outcome', 'endpoints');
      const removed = await stripe.endpoints.remove(account, made.endpoint.id);
      expect(removed).to.deep.equal({ outcome: 'removed' });
    });

    it('may read all that it asks for', async () => {
      const permissions = await stripe.permissions(account);
      const wrong = permissions.filter(({ allowed, known }) => !allowed || !known);
      expect(wrong).to.deep.equal([]);
    });

    it('is refused with another key', async () => {
      const other = { ...account, apiKey: 'xx_123' };
      const answer = await stripe.fetch(other, { type: 'price', id: 'price_1' });
      expect(answer).to.include({ outcome: 'refused', because: 'key-rejected' });
    });
  });
}
