import { derivedId } from '@tributary/contracts/derived-id';
import { expect } from 'chai';
import {
  createStripeAccount,
  type SessionSpec,
  shapes,
  type StripeAccount,
} from '../testing/stripe-world.ts';
import { createReportedAccount, type ReportedAccount } from '../testing/reported-account.ts';

const at = Date.UTC(2026, 9, 31, 12) / 1_000;

for (const shape of shapes) {
  describe(`checkout.session.completed to purchase-created, ${shape} API`, () => {
    let account: StripeAccount;
    let reported: ReportedAccount;
    let customerId: string;
    let priceId: string;
    beforeEach(() => {
      account = createStripeAccount({ now: () => at, idPrefix: 'x' });
      reported = createReportedAccount(account, { shape });
      customerId = account.customer({ ucc: 'code', newUserId: 'user' }).id;
      const price = { currency: 'eur', unitAmount: 500, productId: 'prod_once' };
      priceId = account.price(price).id;
    });

    const checkout = (spec: Partial<SessionSpec> = {}) =>
      account.checkout({
        ...{ customerId, currency: 'eur', lines: [{ amount: 1_000, priceId, quantity: 2 }] },
        ...spec,
      });

    it('is one purchase, known by its payment intent', () => {
      const { session, intent, charge, event } = checkout({ created: at - 60 });
      reported.report(event);
      reported.settle();
      const [fact] = reported.facts();
      expect(fact).to.deep.include({
        eventId: derivedId('processor-fact', 'acme', 'purchase', session.id),
        occurredAtSeconds: String(charge!.created),
        ucc: 'code',
        newUser: { id: 'user' },
        purchase: {
          ...{ invoiceId: intent!.id, currency: 'EUR', amount: 1_000, aliases: [charge!.id] },
          subscription: { interval: 'one-time', seatsUsed: '2', productKey: 'prod_once' },
        },
      });
    });

    it('has seats and product of its largest line', () => {
      const other = account.price({ currency: 'eur', unitAmount: 900, productId: 'prod_large' });
      const lines = [
        { amount: 1_000, priceId, quantity: 2 },
        { amount: 2_700, priceId: other.id, quantity: 3 },
      ];
      reported.report(checkout({ lines }).event);
      reported.settle();
      const [fact] = reported.facts();
      expect(fact).to.have.nested.property('purchase.amount', 3_700);
      expect(fact).to.have.nested.property('purchase.subscription.productKey', 'prod_large');
      expect(fact).to.have.nested.property('purchase.subscription.seatsUsed', '3');
    });

    it('is without tax by the policy net', () => {
      const net = createReportedAccount(account, { shape, taxPolicy: 'net' });
      net.report(checkout({ tax: 160 }).event);
      net.settle();
      expect(net.facts()[0]).to.have.nested.property('purchase.amount', 840);
    });

    it('waits while it is unpaid, and is reported when the payment has come', () => {
      const { session, event } = checkout({ paymentStatus: 'unpaid' });
      reported.report(event);
      reported.settle();
      expect(reported.verdictOf(session.id)).to.deep.include({
        ...{ state: 'waiting', reason: 'unpaid', facts: [] },
        needs: [{ type: 'checkout-session', id: session.id, since: sinceAfter(session.id) }],
      });
      reported.settle({ again: true });
      expect(reported.facts()).to.deep.equal([]);

      account.setNow(at + 86_400);
      const { charge } = account.paySession(session.id);
      reported.settle({ again: true });
      expect(reported.facts()).to.have.length(1);
      expect(reported.facts()[0]).to.include({ occurredAtSeconds: String(charge.created) });
      // The event of before comes again.
      reported.report(event);
      reported.settle();
      expect(reported.verdictOf(session.id).state).to.equal('reported');
    });

    /** The event itself was a reading: the answer has to be newer. */
    function sinceAfter(sessionId: string): string {
      return new Date(Date.parse(reported.itemOf(sessionId).receivedAt) + 1).toISOString();
    }

    it('is left to its invoice when it has one, or is for a subscription', () => {
      const price = account.price({
        ...{ currency: 'eur', unitAmount: 1, interval: { unit: 'month', count: 1 } },
      });
      const { subscription } = account.subscription({ customerId, priceId: price.id });
      const { id: subscriptionId } = subscription;
      const { invoice } = account.paidInvoice({
        ...{ customerId, currency: 'eur', subscriptionId, lines: [{ amount: 1 }] },
      });
      for (const invoiceId of [invoice.id, null]) {
        const { session, event } = account.subscriptionCheckout({ subscriptionId, invoiceId });
        reported.report(event);
        expect(reported.verdictOf(session.id)).to.include({
          state: 'ignored',
          reason: 'has-invoice',
        });
      }
      expect(reported.asked).to.deep.equal([]);
    });

    it('is left to the invoice that is made of it afterwards', () => {
      const { session, event } = checkout({ makesInvoice: true });
      reported.report(event);
      expect(reported.verdictOf(session.id)).to.include({
        state: 'ignored',
        reason: 'has-invoice',
      });
      expect(reported.asked).to.deep.equal([]);
    });

    it('is ignored when nothing was to be paid', () => {
      const free = checkout({ paymentStatus: 'no_payment_required' });
      const setup = account.setupCheckout({ customerId });
      for (const { event } of [free, setup]) reported.report(event);
      const verdicts = [free, setup].map(({ session }) => reported.verdictOf(session.id));
      expect(verdicts).to.deep.equal([
        { state: 'ignored', reason: 'no-payment-required', needs: [] },
        { state: 'ignored', reason: 'no-payment', needs: [] },
      ]);
    });

    it('is unmatched without a customer', () => {
      const { session, event } = checkout({ customerId: null });
      reported.report(event);
      expect(reported.verdictOf(session.id)).to.include({ reason: 'no-customer' });
    });
  });
}
