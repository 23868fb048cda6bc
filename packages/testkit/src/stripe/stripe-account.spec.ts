import { expect } from 'chai';
import type { StripeEvent } from './account-state.ts';
import type { StripeShape } from './api-version.ts';
import type { Json } from './fixtures.ts';
import { liveSubscription, type LifeSpec } from './life.ts';
import { createStripeAccount, type InvoiceSpec } from './stripe-account.ts';

function objectOf(event: StripeEvent | undefined, shape: StripeShape): Json {
  return (JSON.parse(event?.body(shape) ?? '{}') as { data: { object: Json } }).data.object;
}

describe('an account at Stripe', () => {
  const paid = (spec: Partial<InvoiceSpec>) => {
    const account = createStripeAccount();
    const { id: customerId } = account.customer();
    const lines = [{ amount: 1_000 }];
    return { account, ...account.paidInvoice({ customerId, currency: 'eur', lines, ...spec }) };
  };

  it('names the invoice of a charge in old API versions, and in new ones the payment does', () => {
    const { account, invoice, charges, intents } = paid({});
    const { event } = account.refund({ chargeId: charges[0]?.id ?? '' });
    expect(objectOf(event, 'old')['invoice']).to.equal(invoice.id);
    expect(objectOf(event, 'new')).not.to.have.property('invoice');
    const [payment] = account.store.invoicePayments.values();
    expect(payment).to.include({ invoiceId: invoice.id, paymentIntentId: intents[0]?.id });
  });

  it('tells of an object as it was then, not as it became', () => {
    const { account, charges } = paid({});
    const chargeId = charges[0]?.id ?? '';
    const events = [300, 700].map((amount) => account.refund({ chargeId, amount }).event);
    const reported = events.map((event) => objectOf(event, 'new'));
    expect(reported.map((charge) => charge['amount_refunded'])).to.deep.equal([300, 1_000]);
    expect(reported.map((charge) => charge['refunded'])).to.deep.equal([false, true]);
  });

  it('adds a tax to the lines, or contains it in them', () => {
    const on = paid({ tax: { amount: 190 } }).invoice;
    expect([on.total, on.totalExcludingTax, on.amountPaid]).to.deep.equal([1_190, 1_000, 1_190]);
    const within = paid({ tax: { amount: 160, inclusive: true } }).invoice;
    expect([within.total, within.totalExcludingTax]).to.deep.equal([1_000, 840]);
    expect(paid({ tax: null }).invoice.totalExcludingTax).to.equal(null);
  });

  it('has nothing that pays an invoice of 0, or of less', () => {
    for (const lines of [[{ amount: 0 }], [{ amount: 500 }, { amount: -900 }]]) {
      const { invoice, charges, event } = paid({ lines });
      expect([invoice.amountPaid, charges.length]).to.deep.equal([0, 0]);
      expect(objectOf(event, 'old')).to.include({ amount_paid: 0, status: 'paid', charge: null });
    }
  });

  it('pays an invoice in two parts, by a charge alone, and outside Stripe', () => {
    const { invoice, intents } = paid({ paidBy: 'two-intents', lines: [{ amount: 1_001 }] });
    expect(intents.map(({ amount }) => amount)).to.deep.equal([500, 501]);
    expect(invoice.amountPaid).to.equal(1_001);
    const alone = paid({ paidBy: 'charge' });
    expect([alone.intents.length, alone.charges.length]).to.deep.equal([0, 1]);
    expect(paid({ paidBy: 'out-of-band' }).charges).to.have.length(0);
  });

  it('does not refund more than there is', () => {
    const { account, charges } = paid({});
    const chargeId = charges[0]?.id ?? '';
    account.refund({ chargeId, amount: 600 });
    expect(() => account.refund({ chargeId, amount: 401 })).to.throw(/refuse to refund/);
    expect(account.refund({ chargeId }).refund.amount).to.equal(400);
    expect(() => account.refund({ chargeId })).to.throw(/refuse to refund/);
  });

  it('pays a checkout later', () => {
    const account = createStripeAccount();
    const { id: priceId } = account.price({ currency: 'jpy', unitAmount: 500 });
    const lines = [{ amount: 500, priceId }];
    const unpaid = { customerId: null, currency: 'jpy', lines, paymentStatus: 'unpaid' } as const;
    const { session, event, charge } = account.checkout(unpaid);
    expect(charge).to.equal(null);
    expect(objectOf(event, 'new')['payment_status']).to.equal('unpaid');
    const paidLater = account.paySession(session.id);
    expect(paidLater.charge).to.include({ amount: 500, paymentIntentId: session.paymentIntentId });
    expect(account.shaped(session.id, 'new')['payment_status']).to.equal('paid');
  });
});

describe('a subscription lived through', () => {
  const spec: LifeSpec = {
    ...{ ucc: 'ABC', newUserId: 'u-1', unitAmount: 1_000, quantity: 2, currency: 'bhd' },
    interval: { unit: 'month', count: 1 },
    steps: [
      { step: 'trial', days: 14 },
      { step: 'pay', tax: 100, oneOff: 70, discount: 30 },
      { step: 'upgrade', unitAmount: 3_000, quantity: 3 },
      { step: 'many-lines', lines: 12 },
      { step: 'refund', invoice: 0, perMille: 500 },
      { step: 'refund', invoice: 0, perMille: 1_000, fails: true },
      { step: 'refund', invoice: 0, perMille: 1_000 },
      { step: 'refund', invoice: 0, perMille: 1_000 },
    ],
  };

  it('has the events of each step, in their order', () => {
    const { events } = liveSubscription(createStripeAccount(), spec);
    expect(events.map(({ kind }) => kind)).to.deep.equal([
      ...['customer.subscription.created', 'invoice.paid', 'checkout.session.completed'],
      ...['invoice.paid', 'customer.subscription.updated', 'invoice.paid', 'invoice.paid'],
      ...['charge.refunded', 'charge.refunded', 'charge.refunded'],
    ]);
    const times = events.map(({ created }) => created);
    expect(times).to.deep.equal([...times].sort((a, b) => a - b));
  });

  it('pays for what it says, in whole minor units', () => {
    const account = createStripeAccount();
    const { invoiceIds, refundIds } = liveSubscription(account, spec);
    const paid = invoiceIds.map((id) => account.invoice(id).amountPaid);
    expect(paid).to.deep.equal([0, 2_140, -1_000 + 4_500, 66 + 9_000]);
    const refunded = refundIds.map((id) => account.store.refunds.get(id)?.amount);
    expect(refunded).to.deep.equal([1_070, 1_070]);
    const upgrade = account.invoice(invoiceIds[2] ?? '');
    expect(upgrade.lines.map(({ proration }) => proration)).to.deep.equal([true, true]);
  });

  it('is in any currency, and leaves the present as it was', () => {
    const account = createStripeAccount({ now: () => 1_800_000_000 });
    for (const currency of ['jpy', 'eur', 'bhd']) {
      const { invoiceIds } = liveSubscription(account, { ...spec, currency });
      expect(account.shaped(invoiceIds[1] ?? '', 'new')).to.include({ currency });
    }
    expect(account.now()).to.equal(1_800_000_000);
  });
});
