import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { patiently } from '@tributary/testkit/patience';
import { type FakeStripe, startFakeStripe } from '@tributary/testkit/stripe/fake-stripe';
import { stripeApiVersions, stripeShapes } from '@tributary/testkit/stripe/api-version';
import type { FetchOutcome, StripeAccount, StripeApi, StripeLimit } from './api.ts';
import { createStripeApi } from './create-stripe-api.ts';
import { unpaced } from '../testing/unpaced.ts';

describe('stripe adapter', () => {
  let fake: FakeStripe;
  let stripe: StripeApi;
  beforeEach(async () => {
    fake = await startFakeStripe({ chargesCarryRefunds: false });
    stripe = createStripeApi({ url: fake.url, timeoutMs: patiently(2_000), pace: unpaced });
  });
  afterEach(() => fake.stop());

  const accountOf = (shape: 'old' | 'new' = 'new', apiKey = fake.apiKey): StripeAccount => ({
    connectionId: 'c0nnection00000000',
    apiKey,
    apiVersion: stripeApiVersions[shape],
  });

  function objectOf(outcome: FetchOutcome) {
    if (outcome.outcome !== 'object') throw new Error(`${outcome.outcome}: ${outcome.detail}`);
    return outcome.object;
  }

  describe('what is asked by an id', () => {
    for (const shape of stripeShapes) {
      it(`is found in the API version of the ${shape} shape`, async () => {
        const { account } = fake;
        const { id: customerId } = account.customer({ ucc: 'UCC1', newUserId: 'user-1' });
        const currency = 'eur';
        const interval = { unit: 'month', count: 1 } as const;
        const price = account.price({ currency, unitAmount: 1_000, interval });
        const { subscription } = account.subscription({ customerId, priceId: price.id });
        const { invoice, intents, charges } = account.paidInvoice({
          ...{ customerId, currency, subscriptionId: subscription.id },
          lines: [{ amount: 1_000, priceId: price.id }],
        });
        const [intent, charge] = [intents[0]!, charges[0]!];
        const { refund } = account.refund({ chargeId: charge.id, amount: 300 });
        const paid = account.checkout({
          ...{ customerId, currency },
          lines: [{ amount: 500, priceId: price.id }],
        });
        const ask = async (type: Parameters<StripeApi['fetch']>[1]['type'], id: string) =>
          objectOf(await stripe.fetch(accountOf(shape), { type, id }));

        expect(await ask('customer', customerId)).to.deep.equal({
          ...{ object: 'customer', id: customerId, deleted: false },
          ...{ ucc: 'UCC1', newUserId: 'user-1' },
        });
        expect(await ask('price', price.id)).to.deep.include({ interval });
        expect(await ask('invoice', invoice.id)).to.include({ id: invoice.id, amountPaid: 1_000 });
        expect(await ask('charge', charge.id)).to.include({ id: charge.id, amountRefunded: 300 });
        expect(await ask('payment-intent', intent.id)).to.deep.equal({
          ...{ object: 'payment-intent', id: intent.id },
          charge: { id: charge.id, createdAt: charge.created },
        });
        expect(await ask('refunds', charge.id)).to.have.nested.property('refunds[0].id', refund.id);
        expect(await ask('payment-invoice', intent.id)).to.include({ invoiceId: invoice.id });
        expect(await ask('invoice-lines', invoice.id)).to.have.nested.property(
          'lines[0].amount',
          1_000,
        );
        const session = await ask('checkout-session', paid.session.id);
        expect(session).to.include({ id: paid.session.id, paymentIntentId: paid.intent!.id });
        expect(await ask('checkout-session', paid.intent!.id)).to.deep.equal(session);
        expect(await ask('session-lines', paid.session.id)).to.have.nested.property(
          'lines[0].amount',
          500,
        );
        expect(await ask('invoice-payments', invoice.id)).to.deep.include({
          paymentIntentIds: [intent.id],
          chargeIds: [charge.id],
        });
        const versions = new Set(fake.requests().map(({ apiVersion }) => apiVersion));
        expect([...versions]).to.deep.equal([stripeApiVersions[shape]]);
        expect(new Set(fake.requests().map(({ method }) => method))).to.have.keys('GET');
      });
    }

    it('is absent when Stripe does not have it', async () => {
      for (const type of ['customer', 'invoice', 'charge', 'invoice-lines'] as const) {
        const object = objectOf(await stripe.fetch(accountOf(), { type, id: 'xx_missing' }));
        expect(object).to.deep.equal({ object: 'absent', type, id: 'xx_missing' });
      }
      const parent = objectOf(await stripe.fetch(accountOf(), { type: 'customer', id: '..' }));
      expect(parent).to.include({ object: 'absent' });
    });

    it('is one segment of the path, whatever its characters', async () => {
      const id = 'gold/plan?a=b#ü 1';
      const object = objectOf(await stripe.fetch(accountOf(), { type: 'price', id }));
      expect(object).to.deep.equal({ object: 'absent', type: 'price', id });
      expect(fake.requests()).to.have.length(1);
      expect(decodeURIComponent(fake.requests()[0]!.path)).to.equal(`/v1/prices/${id}`);
    });

    it('is read to the end of its pages', async () => {
      const { account } = fake;
      const { id: customerId } = account.customer();
      const lines = Array.from({ length: 250 }, (_, n) => ({ amount: n + 1, priceId: null }));
      const { invoice } = account.paidInvoice({ customerId, currency: 'eur', lines });
      const asked = { type: 'invoice-lines', id: invoice.id } as const;
      const object = objectOf(await stripe.fetch(accountOf(), asked));
      if (object.object !== 'invoice-lines') throw new Error(object.object);
      const amounts = object.lines.map(({ amount }) => amount).sort((a, b) => a - b);
      expect(amounts).to.deep.equal(lines.map(({ amount }) => amount));
      expect(fake.requests({ path: /lines$/ })).to.have.length(3);
    });
  });

  describe('a question without an answer', () => {
    const ask = (account = accountOf()) => stripe.fetch(account, { type: 'price', id: 'price_1' });

    it('is for later after 429, with the time that Stripe asks for', async () => {
      fake.fail({ answer: 'rate-limit', retryAfterSeconds: 7, times: 1 });
      expect(await ask()).to.include({ outcome: 'later', afterMs: 7_000 });
      fake.fail({ answer: 'rate-limit', times: 1 });
      expect(await ask())
        .to.include({ outcome: 'later' })
        .and.not.have.property('afterMs');
      expect(fake.requests()).to.have.length(2);
    });

    it('names the limit that it was over, unless another request only had a lock', async () => {
      const limited: StripeLimit[] = [];
      const onLimited = (limit: StripeLimit) => void limited.push(limit);
      stripe = createStripeApi({
        url: fake.url,
        timeoutMs: patiently(2_000),
        pace: unpaced,
        onLimited,
      });
      fake.fail({ answer: 'rate-limit', reason: 'endpoint-concurrency', times: 1 });
      const told = await ask();
      expect(told).to.include({ outcome: 'later', limit: 'endpoint-concurrency' });
      expect(told).to.have.property('detail').that.includes('status 429, endpoint-concurrency');
      fake.fail({ answer: 'rate-limit', reason: 'of-next-year', times: 1 });
      expect(await ask()).to.include({ limit: 'unnamed' });
      fake.fail({ answer: 'locked', times: 1 });
      expect(await ask())
        .to.include({ outcome: 'later' })
        .and.not.have.property('limit');
      expect(limited).to.deep.equal(['endpoint-concurrency', 'unnamed']);
    });

    it('is for later after 5xx, and asked once only', async () => {
      for (const status of [500, 502, 503]) {
        fake.fail({ answer: 'server-error', status, times: 1 });
        expect(await ask()).to.include({ outcome: 'later' });
      }
      expect(fake.requests()).to.have.length(3);
    });

    it('is for later when the connection is cut, half an answer comes, none, or nobody is there', async () => {
      fake.fail({ answer: 'half', times: 1 });
      expect(await ask()).to.include({ outcome: 'later' });
      const cut = fake.fail({ answer: 'cut' });
      expect(await ask()).to.include({ outcome: 'later' });
      cut.remove();
      const hang = fake.fail({ answer: 'hang' });
      const slow = createStripeApi({ url: fake.url, timeoutMs: 200, pace: unpaced });
      const tooLate = await slow.fetch(accountOf(), { type: 'price', id: 'price_1' });
      expect(tooLate).to.include({ outcome: 'later' });
      expect(tooLate).to.have.property('detail').that.includes('200ms');
      hang.remove();
      await fake.goAway();
      expect(await ask()).to.include({
        ...{ outcome: 'later', detail: 'Stripe cannot be reached (ECONNREFUSED).' },
      });
    });

    it('is refused for a wrong key and a missing permission, and no key is in the words', async () => {
      const apiKey = 'rk_test_wrongButVerySecret123';
      const rejected = await ask(accountOf('new', apiKey));
      expect(rejected).to.include({ outcome: 'refused', because: 'key-rejected' });
      fake.fail({ answer: 'forbidden', permission: 'rak_price_read', times: 1 });
      const forbidden = await ask();
      expect(forbidden).to.include({ outcome: 'refused', because: 'not-permitted' });
      fake.fail({ answer: 'invalid', message: `key ${fake.apiKey} and whsec_abc123`, times: 1 });
      const invalid = await ask();
      expect(invalid).to.include({ outcome: 'refused' });
      const texts = JSON.stringify([rejected, forbidden, invalid]);
      for (const secret of [apiKey, fake.apiKey, 'whsec_abc123'])
        expect(texts).to.not.include(secret);
    });
  });

  describe('lists of an account', () => {
    it('go back in time page by page, as far as they are asked for', async () => {
      const { account } = fake;
      const { id: customerId } = account.customer();
      const made = [1, 2, 3, 4, 5].map((n) => {
        account.setNow(1_700_000_000 + n * 100);
        const lines = [{ amount: n, priceId: null }];
        const { invoice, charges } = account.paidInvoice({ customerId, currency: 'eur', lines });
        const { refund } = account.refund({ chargeId: charges[0]!.id });
        const price = account.price({ currency: 'eur', unitAmount: 1 });
        const spec = { customerId, currency: 'eur', lines: [{ amount: 1, priceId: price.id }] };
        const { session } = account.checkout(spec);
        return { invoices: invoice.id, refunds: refund.id, sessions: session.id };
      });
      for (const kind of ['invoices', 'refunds', 'sessions'] as const) {
        const createdSince = 1_700_000_200;
        const found: string[] = [];
        let cursor: string | null = null;
        do {
          const asked = { kind, createdSince, limit: 2, ...(cursor !== null && { cursor }) };
          const page: Awaited<ReturnType<StripeApi['list']>> = await stripe.list(
            accountOf(),
            asked,
          );
          if (page.outcome !== 'page') throw new Error(page.detail);
          found.push(...page.listed.map(({ id }) => id));
          for (const each of page.listed) {
            expect(each.object).to.have.property('id', each.id);
            if (each.kind === 'refunds') expect(each.charge).to.include({ object: 'charge' });
          }
          cursor = page.nextCursor;
        } while (cursor !== null);
        const expected = made.slice(1).map((each) => each[kind]);
        expect(found, kind).to.deep.equal(expected.reverse());
      }
    });
  });

  describe('webhook endpoints', () => {
    const url = 'https://example.com/processor/stripe/c0nnection00000000';

    it('are made for the five kinds, once for a key of idempotency, and removed', async () => {
      const asked = { url, idempotencyKey: 'attempt-1' };
      const made = await stripe.endpoints.create(accountOf(), asked);
      const again = await stripe.endpoints.create(accountOf(), asked);
      expect(again).to.deep.equal(made);
      if (made.outcome !== 'endpoint') throw new Error(made.detail);
      expect(made.secret).to.match(/^whsec_/);
      const listed = await stripe.endpoints.list(accountOf());
      expect(listed).to.deep.equal({ outcome: 'endpoints', endpoints: [made.endpoint] });
      expect(made.endpoint).to.deep.include({
        ...{ url, enabled: true, livemode: false, connectionId: 'c0nnection00000000' },
        apiVersion: stripeApiVersions.new,
        kinds: [
          'checkout.session.completed',
          'customer.subscription.created',
          'customer.subscription.updated',
          'invoice.paid',
          'charge.refunded',
        ],
      });
      const { id } = made.endpoint;
      for (let n = 0; n < 2; n++) {
        expect(await stripe.endpoints.remove(accountOf(), id)).to.deep.equal({
          outcome: 'removed',
        });
      }
      expect(fake.account.endpoints()).to.have.length(0);
    });

    it('are made although Stripe repeats an older failure', async () => {
      const asked = { url, idempotencyKey: 'attempt-1' };
      fake.fail({ answer: 'server-error', method: 'POST', times: 1 });
      expect(await stripe.endpoints.create(accountOf(), asked)).to.include({ outcome: 'later' });
      expect(await stripe.endpoints.create(accountOf(), asked)).to.include({ outcome: 'endpoint' });
    });
  });

  it('finds out what a key may read', async () => {
    const all = await stripe.permissions(accountOf());
    const documented = await readFile(
      new URL('../../../../docs/stripe.md', import.meta.url),
      'utf8',
    );
    for (const { resource } of all) expect(documented).to.include(resource);
    expect(all.every(({ allowed, known }) => allowed && known)).to.equal(true);
    fake.fail({ answer: 'forbidden', path: '/v1/invoices' });
    fake.fail({ answer: 'server-error', path: '/v1/customers' });
    const some = await stripe.permissions(accountOf());
    expect(some.filter(({ allowed }) => !allowed).map(({ path }) => path)).to.deep.equal([
      'invoices',
    ]);
    expect(some.filter(({ known }) => !known).map(({ path }) => path)).to.deep.equal(['customers']);
  });
});
