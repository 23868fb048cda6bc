import { derivedId } from '@tributary/contracts/derived-id';
import type { EventRecord } from '@tributary/contracts/event-record';
import { expect } from 'chai';
import {
  createStripeAccount,
  type InvoiceSpec,
  shapes,
  type StripeAccount,
} from '../testing/stripe-world.ts';
import { createReportedAccount } from '../testing/reported-account.ts';

const at = Date.UTC(2026, 9, 31, 12) / 1_000;

for (const shape of shapes) {
  describe(`invoice.paid to purchase-created, ${shape} API`, () => {
    let account: StripeAccount;
    let customerId: string;
    beforeEach(() => {
      account = createStripeAccount({ now: () => at, idPrefix: 'x' });
      customerId = account.customer({ ucc: 'MiYK421SmMb', newUserId: 'user-4711' }).id;
    });

    function subscribed(
      interval: { unit: 'day' | 'week' | 'month' | 'year'; count: number },
      quantity = 3,
    ) {
      const { id: priceId } = account.price({
        ...{ currency: 'eur', unitAmount: 1_000, interval },
        productId: 'prod_team',
      });
      const { subscription } = account.subscription({ customerId, priceId, quantity });
      return { subscriptionId: subscription.id, priceId };
    }

    function factOf(spec: Partial<InvoiceSpec>, taxPolicy: 'gross' | 'net' = 'gross') {
      const reported = createReportedAccount(account, { shape, taxPolicy });
      const { invoice, event } = account.paidInvoice({
        ...{ customerId, currency: 'eur', lines: [{ amount: 3_000 }] },
        ...spec,
      });
      reported.report(event);
      reported.settle();
      const verdict = reported.verdictOf(invoice.id);
      expect(verdict.state, JSON.stringify(verdict)).to.equal('reported');
      const [fact, ...more] = reported.facts();
      expect(more).to.deep.equal([]);
      if (fact?.eventType !== 'purchase-created') throw new Error('no purchase');
      return { fact, invoice, asked: reported.asked };
    }

    it('maps every member (docs/stripe.md)', () => {
      const { subscriptionId } = subscribed({ unit: 'month', count: 1 });
      const lines = [{ amount: 3_000, quantity: 3 }];
      const number = 'A-0001';
      const { fact, invoice } = factOf({ subscriptionId, lines, number });
      const [payment] = account.store.invoicePayments.values();
      const wanted: EventRecord = {
        schemaVersion: 4,
        eventId: derivedId('processor-fact', 'acme', 'purchase', invoice.id),
        tenantId: 'acme',
        source: 'processor',
        receivedAt: fact.receivedAt,
        occurredAt: '2026-10-31T12:00:00Z',
        occurredAtSeconds: '1793448000',
        ucc: 'MiYK421SmMb',
        newUser: { id: 'user-4711' },
        eventType: 'purchase-created',
        purchase: {
          invoiceId: invoice.id,
          currency: 'EUR',
          amount: 3_000,
          aliases: [number, payment!.chargeId!, payment!.paymentIntentId!].sort(),
          subscription: {
            id: subscriptionId,
            interval: 'monthly',
            seatsUsed: '3',
            productKey: 'prod_team',
          },
        },
      };
      expect(fact).to.deep.equal(wanted);
    });

    it('was received when the last answer was that completed it', () => {
      const reported = createReportedAccount(account, { shape });
      const { invoice, event } = account.paidInvoice({
        ...{ customerId, currency: 'eur', lines: [{ amount: 3_000 }] },
      });
      reported.report(event);
      const before = reported.itemOf(invoice.id).receivedAt;
      reported.wait(86_400_000);
      reported.settle();
      expect(
        reported.facts()[0]!.receivedAt > new Date(Date.parse(before) + 86_400_000).toISOString(),
      ).to.be.true;
    });

    for (const [unit, count, interval] of [
      ['day', 7, 'weekly'],
      ['week', 1, 'weekly'],
      ['day', 14, 'bi-weekly'],
      ['week', 2, 'bi-weekly'],
      ['month', 1, 'monthly'],
      ['month', 3, 'quarterly'],
      ['month', 6, 'semi-annual'],
      ['month', 12, 'yearly'],
      ['year', 1, 'yearly'],
      ['month', 24, 'biennial'],
      ['year', 2, 'biennial'],
      ['month', 36, 'triennial'],
      ['year', 3, 'triennial'],
    ] as const) {
      it(`calls ${count} ${unit}(s) ${interval}`, () => {
        const { subscriptionId } = subscribed({ unit, count });
        const { fact } = factOf({ subscriptionId });
        expect(fact.purchase.subscription?.interval).to.equal(interval);
        expect(fact).not.to.have.property('warnings');
      });
    }

    for (const [unit, count] of [
      ['day', 1],
      ['week', 4],
      ['month', 2],
      ['year', 5],
    ] as const) {
      it(`has no word for ${count} ${unit}(s), and says so in a warning`, () => {
        const { subscriptionId } = subscribed({ unit, count });
        const { fact } = factOf({ subscriptionId });
        expect(fact.purchase.subscription).not.to.have.property('interval');
        expect(fact.warnings).to.have.length(1);
        const { code, pointer, detail } = fact.warnings![0]!;
        expect({ code, pointer }).to.deep.equal({
          code: 'INTERVAL_NOT_IN_CONTRACT',
          pointer: '/subscription/interval',
        });
        expect(detail).to.contain(`every ${count} ${unit}(s)`);
      });
    }

    it('takes a trial of nothing for a purchase of 0, and asks for no payments', () => {
      const { subscriptionId } = subscribed({ unit: 'year', count: 1 });
      const { fact, invoice, asked } = factOf({ subscriptionId, lines: [{ amount: 0 }] });
      expect(fact.purchase.amount).to.equal(0);
      expect(fact.purchase.subscription?.interval).to.equal('yearly');
      expect(fact.purchase.aliases).to.deep.equal([invoice.number]);
      expect(asked.filter((each) => each.startsWith('invoice-payments'))).to.deep.equal([]);
    });

    it('counts what was paid, not what was due, when a balance paid the rest', () => {
      const { fact } = factOf({ lines: [{ amount: 3_000 }], amountPaid: 1_200 });
      expect(fact.purchase.amount).to.equal(1_200);
    });

    it('takes the largest whole line of the subscription from an upgrade with proration', () => {
      const { subscriptionId, priceId } = subscribed({ unit: 'month', count: 1 });
      const interval = { unit: 'year', count: 1 } as const;
      const large = account.price({
        currency: 'eur',
        unitAmount: 9_000,
        interval,
        productId: 'prod_big',
      });
      const { fact } = factOf({
        subscriptionId,
        lines: [
          { amount: 99_000, recurring: false, priceId: null },
          { amount: -2_000, proration: true, priceId },
          { amount: 30_000, proration: true, priceId: large.id, quantity: 9 },
          { amount: 1_000, priceId, quantity: 1 },
          { amount: 9_000, priceId: large.id, quantity: 5 },
        ],
      });
      expect(fact.purchase.amount).to.equal(137_000);
      expect(fact.purchase.subscription).to.deep.equal({
        ...{ id: subscriptionId, interval: 'yearly', seatsUsed: '5', productKey: 'prod_big' },
      });
    });

    it('takes a proration where there is nothing but prorations', () => {
      const { subscriptionId, priceId } = subscribed({ unit: 'month', count: 3 });
      const { fact } = factOf({
        subscriptionId,
        lines: [
          { amount: -500, proration: true, priceId, quantity: 1 },
          { amount: 1_500, proration: true, priceId, quantity: 4 },
        ],
      });
      expect(fact.purchase.amount).to.equal(1_000);
      expect(fact.purchase.subscription).to.include({ interval: 'quarterly', seatsUsed: '4' });
    });

    it('is paid once when no line is of a subscription', () => {
      const price = account.price({ currency: 'eur', unitAmount: 700, productId: 'prod_once' });
      const { fact } = factOf({
        lines: [
          { amount: 300, priceId: null },
          { amount: 700, priceId: price.id, quantity: 2 },
        ],
      });
      expect(fact.purchase.subscription).to.deep.equal({
        ...{ interval: 'one-time', seatsUsed: '2', productKey: 'prod_once' },
      });
    });

    it('reads the lines that the event leaves out', () => {
      const { subscriptionId, priceId } = subscribed({ unit: 'month', count: 6 });
      const others = Array.from({ length: 12 }, () => ({
        ...{ amount: 10, recurring: false, priceId: null },
      }));
      const { fact, asked, invoice } = factOf({
        subscriptionId,
        lines: [...others, { amount: 20, priceId, quantity: 7 }],
      });
      expect(fact.purchase.subscription).to.include({ interval: 'semi-annual', seatsUsed: '7' });
      expect(asked).to.include(`invoice-lines ${invoice.id}`);
    });

    describe('by the tax policy', () => {
      for (const [tax, gross, net] of [
        [{ amount: 570 }, 3_570, 3_000],
        [{ amount: 479, inclusive: true }, 3_000, 2_521],
        [{ amount: 0 }, 3_000, 3_000],
        [null, 3_000, 3_000],
      ] as const) {
        it(`counts ${gross} gross and ${net} net with tax ${JSON.stringify(tax)}`, () => {
          const lines = [{ amount: 3_000 }];
          expect(factOf({ lines, tax }, 'gross').fact.purchase.amount).to.equal(gross);
          expect(factOf({ lines, tax }, 'net').fact.purchase.amount).to.equal(net);
        });
      }

      it('takes the tax in the part that was paid, rounded half to even', () => {
        // 5 of 12 paid, 10 of 12 without tax: 4.1666…; 3 of 12: 2.5 to 2; 9 of 12: 7.5 to 8.
        const lines = [{ amount: 10 }];
        const tax = { amount: 2 };
        const net = (amountPaid: number) =>
          factOf({ lines, tax, amountPaid }, 'net').fact.purchase.amount;
        expect([5, 3, 9, 0, 12].map(net)).to.deep.equal([4, 2, 8, 0, 10]);
      });
    });

    for (const [stripe, amount, currency, minor] of [
      ['jpy', 500, 'JPY', 500],
      ['bhd', 12_340, 'BHD', 12_340],
      ['mga', 37, 'MGA', 3_700],
      ['isk', 129_900, 'ISK', 1_299],
      ['ugx', 500_000, 'UGX', 5_000],
      ['huf', 129_900, 'HUF', 129_900],
    ] as const) {
      it(`makes ${minor} ${currency} of Stripe's ${amount} ${stripe}`, () => {
        const { fact } = factOf({ currency: stripe, lines: [{ amount }] });
        expect([fact.purchase.amount, fact.purchase.currency]).to.deep.equal([minor, currency]);
      });
    }

    it('has no aliases but its number when it was paid outside of Stripe', () => {
      const { fact } = factOf({ paidBy: 'out-of-band', number: 'A-7' });
      expect(fact.purchase.aliases).to.deep.equal(['A-7']);
      expect(factOf({ paidBy: 'out-of-band', number: null }).fact.purchase).not.to.have.property(
        'aliases',
      );
    });

    it('names the charge of an invoice that was paid without a payment intent', () => {
      const { fact } = factOf({ paidBy: 'charge', number: null });
      const [charge] = account.store.charges.values();
      expect(fact.purchase.aliases).to.deep.equal([charge!.id]);
    });

    it('happened when it was made, if Stripe does not say when it was paid', () => {
      const { fact } = factOf({ created: at - 60, paidAt: null });
      expect(fact.occurredAt).to.equal('2026-10-31T11:59:00Z');
    });

    describe('is not reported', () => {
      function verdictOf(spec: Partial<InvoiceSpec>, customer: string | null = customerId) {
        const reported = createReportedAccount(account, { shape });
        const { invoice, event } = account.paidInvoice({
          ...{ currency: 'eur', lines: [{ amount: 3_000 }] },
          ...spec,
          customerId: customer,
        });
        reported.report(event);
        reported.settle();
        expect(reported.facts()).to.deep.equal([]);
        return { verdict: reported.verdictOf(invoice.id), asked: reported.asked };
      }

      for (const [metadata, reason] of [
        [{}, 'no-metadata'],
        [{ other: 'key' }, 'no-metadata'],
        [{ new_user_id: 'u' }, 'no-code'],
        [{ service_ucc: 'c' }, 'no-user'],
        [{ service_ucc: 'c', new_user_id: 'u'.repeat(256) }, 'unusable-metadata'],
        [{ service_ucc: 'c\u0000', new_user_id: 'u' }, 'unusable-metadata'],
      ] as const) {
        it(`with metadata ${JSON.stringify(metadata).slice(0, 60)}: ${reason}`, () => {
          const { id } = account.customer({ metadata: { ...metadata } });
          const { verdict, asked } = verdictOf({}, id);
          expect(verdict).to.include({ state: 'unmatched', reason });
          expect(verdict.needs.map(({ type }) => type)).to.deep.equal(['customer']);
          expect(asked, 'nothing else is asked about it').to.deep.equal([`customer ${id}`]);
        });
      }

      it('without a customer', () => {
        const { verdict, asked } = verdictOf({}, null);
        expect(verdict).to.deep.equal({ state: 'unmatched', reason: 'no-customer', needs: [] });
        expect(asked).to.deep.equal([]);
      });

      it('with a customer that was deleted before its metadata was ever read, or is not there', () => {
        account.deleteCustomer(customerId);
        expect(verdictOf({}).verdict).to.include({ reason: 'customer-deleted' });
        expect(verdictOf({}, 'cus_never').verdict).to.include({ reason: 'absent' });
      });

      it('in a currency that the contract does not know', () => {
        const { verdict } = verdictOf({ currency: 'xyz' });
        expect(verdict).to.include({ reason: 'unknown-currency', detail: 'xyz' });
      });

      it('over the largest amount of the contract', () => {
        const amount = Number.MAX_SAFE_INTEGER;
        expect(verdictOf({ currency: 'mga', lines: [{ amount }] }).verdict).to.include({
          state: 'unmatched',
          reason: 'amount-out-of-range',
        });
      });
    });

    it('is not reported when it is not paid (any more)', () => {
      const reported = createReportedAccount(account, { shape });
      const { invoice } = account.paidInvoice({
        ...{ customerId, currency: 'eur', lines: [{ amount: 3_000 }] },
      });
      account.setInvoiceStatus(invoice.id, 'void');
      reported.report(account.emit('invoice.paid', invoice.id));
      expect(reported.verdictOf(invoice.id)).to.deep.equal({
        ...{ state: 'ignored', reason: 'not-paid', needs: [] },
      });
    });

    it('is reported by itself once the metadata appears', () => {
      const { id } = account.customer();
      const reported = createReportedAccount(account, { shape });
      const { event } = account.paidInvoice({
        ...{ customerId: id, currency: 'eur', lines: [{ amount: 3_000 }] },
      });
      reported.report(event);
      reported.settle();
      expect(reported.facts()).to.deep.equal([]);
      account.updateCustomer(id, { service_ucc: 'code', new_user_id: 'user' });
      reported.settle({ again: true });
      expect(reported.facts().map(({ ucc, newUser }) => [ucc, newUser.id])).to.deep.equal([
        ['code', 'user'],
      ]);
    });

    it('keeps the metadata that a deleted customer had', () => {
      const reported = createReportedAccount(account, { shape });
      const paid = () =>
        account.paidInvoice({ customerId, currency: 'eur', lines: [{ amount: 3_000 }] }).event;
      reported.report(paid());
      reported.settle();
      account.deleteCustomer(customerId);
      reported.wait(3_600_000);
      reported.report(paid());
      reported.settle();
      expect(reported.facts().map(({ ucc }) => ucc)).to.deep.equal(['MiYK421SmMb', 'MiYK421SmMb']);
      expect(reported.asked.filter((each) => each.startsWith('customer'))).to.have.length(2);
    });

    it('asks for a customer once in the time that its metadata is good for', () => {
      const reported = createReportedAccount(account, { shape });
      for (let n = 0; n < 3; n++) {
        const spec = { customerId, currency: 'eur', lines: [{ amount: 3_000 }] };
        reported.report(account.paidInvoice(spec).event);
        reported.settle();
      }
      expect(reported.facts()).to.have.length(3);
      expect(reported.asked.filter((each) => each.startsWith('customer'))).to.have.length(1);
    });
  });
}
