import { derivedId } from '@tributary/contracts/derived-id';
import type { EventRecord } from '@tributary/contracts/event-record';
import type { TaxPolicy } from '@tributary/contracts/processor-record';
import { expect } from 'chai';
import {
  createStripeAccount,
  type InvoiceSpec,
  shapes,
  type StripeAccount,
} from '../testing/stripe-world.ts';
import { createReportedAccount, type ReportedAccount } from '../testing/reported-account.ts';

for (const shape of shapes) {
  describe(`charge.refunded to purchase-refunded, ${shape} API`, () => {
    let account: StripeAccount;
    let reported: ReportedAccount;
    let customerId: string;
    let nowS: number;
    beforeEach(() => {
      nowS = Date.UTC(2026, 9, 31, 12) / 1_000;
      start({});
    });

    function start(options: { chargesCarryRefunds?: boolean }, taxPolicy: TaxPolicy = 'gross') {
      account = createStripeAccount({ now: () => nowS, idPrefix: 'x', ...options });
      reported = createReportedAccount(account, { shape, taxPolicy });
      customerId = account.customer({ ucc: 'code', newUserId: 'user' }).id;
    }

    function pay(spec: Partial<InvoiceSpec> = {}) {
      const paid = account.paidInvoice({
        ...{ customerId, currency: 'eur', lines: [{ amount: 3_000 }] },
        ...spec,
      });
      return { ...paid, chargeId: paid.charges[0]!.id };
    }

    function refund(chargeId: string, amount?: number) {
      nowS += 60;
      return account.refund({ chargeId, ...(amount !== undefined && { amount }) });
    }

    function refunds(from = reported): Extract<EventRecord, { eventType: 'purchase-refunded' }>[] {
      return from
        .facts()
        .filter((fact) => fact.eventType === 'purchase-refunded')
        .sort((a, b) => Number(a.occurredAtSeconds) - Number(b.occurredAtSeconds));
    }
    const amounts = (from = reported) => refunds(from).map((fact) => fact.refund.amount);

    it('names the invoice, however the charge does or does not', () => {
      const { invoice, intents, chargeId, event } = pay();
      const given = refund(chargeId, 1_000);
      for (const each of [event, given.event]) reported.report(each);
      reported.settle();
      const [fact] = refunds();
      expect(fact).to.deep.include({
        eventId: derivedId('processor-fact', 'acme', 'refund', given.refund.id),
        occurredAtSeconds: String(given.refund.created),
        ucc: 'code',
        newUser: { id: 'user' },
        refund: {
          ...{ invoiceId: invoice.id, currency: 'EUR', amount: 1_000, refundId: given.refund.id },
          aliases: [chargeId, intents[0]!.id].sort(),
        },
      });
    });

    it('gives each refund once, of what is newly refunded only', () => {
      const { chargeId, event } = pay();
      reported.report(event);
      const first = refund(chargeId, 1_000);
      const second = refund(chargeId, 500);
      const third = refund(chargeId);
      for (const each of [second, second, third, first, second]) {
        reported.report(each.event);
        reported.settle();
      }
      expect(amounts()).to.deep.equal([1_000, 500, 1_500]);
      expect(refunds().map((fact) => fact.refund.refundId)).to.deep.equal(
        [first, second, third].map((each) => each.refund.id),
      );
    });

    it('asks for the list again when there is more to tell, and reports meanwhile what it knows', () => {
      const { chargeId } = pay();
      reported.report(refund(chargeId, 1_000).event);
      reported.settle();
      const next = refund(chargeId, 500);
      reported.report(next.event);
      expect(reported.verdictOf(chargeId)).to.deep.include({
        state: 'reported',
        needs: [{ type: 'refunds', id: chargeId, since: reported.itemOf(chargeId).receivedAt }],
      });
      expect(amounts()).to.deep.equal([1_000]);
      reported.settle();
      expect(reported.verdictOf(chargeId)).to.deep.include({ state: 'reported', needs: [] });
      expect(amounts()).to.deep.equal([1_000, 500]);
    });

    it('asks for no list when the charge carries all refunds', () => {
      start({ chargesCarryRefunds: true });
      const { chargeId } = pay();
      const events = [refund(chargeId, 1_000), refund(chargeId, 500)].map(({ event }) => event);
      for (const event of events.reverse()) reported.report(event);
      reported.settle();
      expect(amounts()).to.deep.equal([1_000, 500]);
      expect(reported.asked.filter((each) => each.startsWith('refunds'))).to.deep.equal([]);
    });

    it('asks for the list when the charge carries a part of them only', () => {
      start({ chargesCarryRefunds: true });
      const { chargeId } = pay();
      const all = Array.from({ length: 12 }, () => refund(chargeId, 10));
      // The first event carries all that there was then.
      for (const each of [all[0]!, all.at(-1)!]) reported.report(each.event);
      reported.settle();
      expect(refunds()).to.have.length(12);
      expect(reported.asked.filter((each) => each.startsWith('refunds'))).to.have.length(1);
    });

    it('leaves out a refund that failed or was canceled', () => {
      const { chargeId } = pay();
      const failed = refund(chargeId, 1_000);
      account.failRefund(failed.refund.id);
      const next = refund(chargeId, 400);
      for (const each of [failed, next]) reported.report(each.event);
      reported.settle();
      expect(refunds().map((fact) => fact.refund.refundId)).to.deep.equal([next.refund.id]);
    });

    it('is known by the payment intent when the payment was a session without an invoice', () => {
      const price = account.price({ currency: 'eur', unitAmount: 500 });
      const session = account.checkout({
        ...{ customerId, currency: 'eur', lines: [{ amount: 500, priceId: price.id }] },
      });
      reported.report(refund(session.charge!.id, 200).event);
      reported.report(session.event);
      reported.settle();
      const [purchase] = reported.facts().filter((fact) => fact.eventType === 'purchase-created');
      const [given] = refunds();
      expect(given!.refund.invoiceId).to.equal(session.intent!.id);
      expect(purchase).to.have.nested.property('purchase.invoiceId', given!.refund.invoiceId);
      expect(given!.refund.aliases).to.deep.equal([session.charge!.id]);
    });

    it('is known by the charge when there is no payment intent, as the invoice is too', () => {
      const { chargeId, invoice, event } = pay({ paidBy: 'charge' });
      for (const each of [refund(chargeId).event, event]) reported.report(each);
      reported.settle();
      const [given] = refunds();
      const [purchase] = reported.facts().filter((fact) => fact.eventType === 'purchase-created');
      expect(given!.refund.invoiceId).to.equal(shape === 'old' ? invoice.id : chargeId);
      expect(purchase!.purchase.aliases).to.include(chargeId);
    });

    it('goes by the identity of its purchase, whatever the metadata is by then', () => {
      const { chargeId, event } = pay();
      reported.report(event);
      reported.settle();
      account.updateCustomer(customerId, { service_ucc: '', new_user_id: 'other' });
      reported.wait(3_600_000);
      reported.report(refund(chargeId).event);
      reported.settle();
      expect(refunds().map(({ ucc, newUser }) => [ucc, newUser.id])).to.deep.equal([
        ['code', 'user'],
      ]);
    });

    it('comes before its purchase', () => {
      const { chargeId, event } = pay();
      reported.report(refund(chargeId).event);
      reported.settle();
      expect(amounts()).to.deep.equal([3_000]);
      reported.report(event);
      reported.settle();
      expect(reported.facts()).to.have.length(2);
    });

    it('is unmatched like a purchase, and resolves like one', () => {
      customerId = account.customer().id;
      const { chargeId } = pay();
      reported.report(refund(chargeId).event);
      reported.settle();
      expect(reported.verdictOf(chargeId)).to.include({
        state: 'unmatched',
        reason: 'no-metadata',
      });
      account.updateCustomer(customerId, { service_ucc: 'late', new_user_id: 'user' });
      reported.settle({ again: true });
      expect(refunds().map(({ ucc }) => ucc)).to.deep.equal(['late']);
    });

    it('is unmatched without a customer', () => {
      const { chargeId } = pay({ customerId: null });
      reported.report(refund(chargeId).event);
      reported.settle();
      expect(reported.verdictOf(chargeId)).to.include({
        state: 'unmatched',
        reason: 'no-customer',
      });
    });

    describe('by the policy net', () => {
      beforeEach(() => {
        start({}, 'net');
      });

      it('adds up to the purchase exactly, in however many parts', () => {
        const { chargeId, event } = pay({ lines: [{ amount: 1_000 }], tax: { amount: 77 } });
        reported.report(event);
        const parts = [1, 333, 1, 410];
        for (const part of parts) reported.report(refund(chargeId, part).event);
        reported.report(refund(chargeId).event);
        reported.settle();
        expect(amounts().reduce((sum, amount) => sum + amount, 0)).to.equal(1_000);
        expect(amounts()).to.deep.equal([1, 310, 1, 380, 308]);
      });

      it('reports a refund of which nothing is left without its tax', () => {
        const { chargeId } = pay({ lines: [{ amount: 1 }], tax: { amount: 9 } });
        for (const part of [4, 6]) reported.report(refund(chargeId, part).event);
        reported.settle();
        expect(amounts()).to.deep.equal([1, 0]);
      });

      it('never gives back more than was paid, when a balance paid the rest', () => {
        const paid = pay({ lines: [{ amount: 10 }], tax: { amount: 2 }, amountPaid: 5 });
        reported.report(paid.event);
        reported.report(refund(paid.chargeId).event);
        reported.settle();
        const [purchase] = reported.facts().filter((fact) => fact.eventType === 'purchase-created');
        expect(amounts()).to.deep.equal([purchase!.purchase.amount]);
      });

      for (const first of ['purchase', 'refund'] as const) {
        it(`takes the tax of a session, the ${first} first`, () => {
          const price = account.price({ currency: 'eur', unitAmount: 1_190 });
          const session = account.checkout({
            ...{ customerId, currency: 'eur', tax: 190 },
            lines: [{ amount: 1_190, priceId: price.id }],
          });
          const given = refund(session.charge!.id, 595);
          const events = [session.event, given.event];
          for (const event of first === 'purchase' ? events : events.reverse()) {
            reported.report(event);
            reported.settle();
          }
          expect(amounts()).to.deep.equal([500]);
        });
      }

      it('gives back all that was refunded when neither invoice nor session is there', () => {
        const { chargeId, invoice } = pay({ tax: { amount: 570 } });
        const { event } = refund(chargeId, 100);
        account.remove(invoice.id);
        reported.report(event);
        reported.settle();
        expect(amounts()).to.deep.equal([100]);
      });
    });
  });
}
