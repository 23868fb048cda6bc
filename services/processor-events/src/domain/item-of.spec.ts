import type {
  ProcessorReceived,
  StripeCharge,
  StripeCheckoutSession,
  StripeInvoice,
  StripeRefund,
  StripeUnreadable,
} from '@tributary/contracts/processor-record';
import { expect } from 'chai';
import fc from 'fast-check';
import { betterTelling, itemIdOf, itemOf } from './item-of.ts';
import type { Item } from './model.ts';
import { compareRefunds } from './read-charge.ts';

const received: Omit<ProcessorReceived, 'object'> = {
  ...{ schemaVersion: 1, tenantId: 'acme', connectionId: 'c0ffee1234567890abcdef' },
  ...{ processor: 'stripe', subject: 'cus_1', receivedAt: '2026-11-01T00:00:01.000Z' },
  ...{ taxPolicy: 'gross', type: 'received', processorEventId: 'evt_1', kind: 'charge.refunded' },
  ...{ livemode: true, createdAt: 1, apiVersion: null },
};
const charge: StripeCharge = {
  ...{ object: 'charge', id: 'ch_1', customerId: 'cus_1', paymentIntentId: 'pi_1' },
  ...{ currency: 'eur', amount: 1_000, amountRefunded: 100, createdAt: 1 },
};

describe('an item of a record', () => {
  it('is of what was received, and of what a reconciliation found', () => {
    const item = itemOf({ ...received, object: charge });
    const { tenantId, connectionId, subject, taxPolicy, receivedAt } = received;
    expect(item).to.deep.equal({
      ...{ itemId: itemIdOf('acme', 'charge', 'ch_1'), type: 'charge', objectId: 'ch_1' },
      ...{ tenantId, connectionId, subject, taxPolicy, receivedAt, object: charge },
    });
    const {
      processorEventId: _,
      kind: _k,
      livemode: _l,
      createdAt: _c,
      apiVersion: _a,
      ...common
    } = received;
    const fetched = { ...common, type: 'fetched', object: charge } as const;
    expect(itemOf({ ...fetched, cause: 'reconcile' })).to.deep.equal(item);
    expect(itemOf({ ...fetched, cause: 'need' })).to.equal(undefined);
  });

  it('is of what an unreadable object would be, and none of a subscription or no object', () => {
    const unreadable: StripeUnreadable = {
      ...{ object: 'unreadable', type: 'charge', id: 'ch_1', customerId: null, detail: 'x' },
    };
    expect(itemOf({ ...received, object: unreadable })?.itemId).to.equal(
      itemIdOf('acme', 'charge', 'ch_1'),
    );
    const subscription = { object: 'subscription', id: 's', customerId: null, prices: [] } as const;
    expect(itemOf({ ...received, object: { ...subscription, prices: [] } })).to.equal(undefined);
    expect(itemOf({ ...received, ignored: 'kind-not-used' })).to.equal(undefined);
  });

  it('says that it is of the other mode', () => {
    expect(itemOf({ ...received, object: charge, ignored: 'other-mode' })).to.include({
      ignored: 'other-mode',
    });
  });
});

const time = fc.constantFrom('1', '2', '3').map((n) => `2026-11-01T00:00:0${n}.000Z`);
const id = fc.option(fc.constantFrom('a', 'b'), { nil: null });
const aRefund: fc.Arbitrary<StripeRefund> = fc.record({
  ...{
    id: fc.constantFrom('re_1', 're_2', 're_3'),
    amount: fc.nat(3),
    currency: fc.constant('eur'),
  },
  status: fc.constantFrom('pending', 'succeeded', 'failed', 'canceled', null),
  createdAt: fc.nat(2),
});
const refunds = fc.uniqueArray(aRefund, { selector: (refund) => refund.id, maxLength: 3 });
const aCharge: fc.Arbitrary<StripeCharge> = fc.record(
  {
    ...{ object: fc.constant('charge' as const), id: fc.constant('x'), customerId: id },
    ...{
      paymentIntentId: id,
      currency: fc.constant('eur'),
      amount: fc.nat(2),
      createdAt: fc.nat(2),
    },
    ...{ amountRefunded: fc.nat(3), invoiceId: id },
    refunds: refunds.map((all) => all.sort(compareRefunds)),
  },
  {
    requiredKeys: [
      ...(['object', 'id', 'customerId', 'paymentIntentId', 'currency'] as const),
      ...(['amount', 'createdAt', 'amountRefunded'] as const),
    ],
  },
);
const anInvoice: fc.Arbitrary<StripeInvoice> = fc.record({
  ...{ object: fc.constant('invoice' as const), id: fc.constant('x'), customerId: id, number: id },
  status: fc.constantFrom('paid', 'void', null),
  ...{ currency: fc.constant('eur'), amountPaid: fc.nat(2), total: fc.nat(2) },
  ...{ totalExcludingTax: fc.constant(null), createdAt: fc.nat(1), paidAt: fc.constant(null) },
  subscriptionId: id,
  payments: fc.constantFrom(null, { paymentIntentIds: [], chargeIds: [] }),
  ...{ lines: fc.constant([]), moreLines: fc.boolean(), prices: fc.constant([]) },
});
const aSession: fc.Arbitrary<StripeCheckoutSession> = fc.record({
  ...{ object: fc.constant('checkout-session' as const), id: fc.constant('x'), customerId: id },
  ...{ mode: fc.constant('payment'), paymentStatus: fc.constantFrom('paid', 'unpaid') },
  ...{ invoiceId: id, paymentIntentId: id, currency: fc.constant('eur'), amountTotal: fc.nat(1) },
  ...{ amountTax: fc.constant(null), createdAt: fc.nat(1) },
});
const anUnreadable = (type: StripeUnreadable['type']): fc.Arbitrary<StripeUnreadable> =>
  fc.record({
    ...{
      object: fc.constant('unreadable' as const),
      type: fc.constant(type),
      id: fc.constant('x'),
    },
    ...{ customerId: id, detail: fc.constantFrom('one', 'two') },
  });

function tellings(type: Item['type'], object: fc.Arbitrary<Item['object']>): fc.Arbitrary<Item> {
  const item = fc.record({
    ...{ object: fc.oneof({ weight: 5, arbitrary: object }, anUnreadable(type)), receivedAt: time },
    connectionId: fc.constantFrom('c0ffee1234567890abcdef', 'decaf01234567890abcdef'),
    taxPolicy: fc.constantFrom('gross' as const, 'net' as const),
    otherMode: fc.boolean(),
  });
  return item.map(({ otherMode, ...rest }) => ({
    ...{ itemId: 'i', tenantId: 'acme', type, objectId: 'x', subject: 's', ...rest },
    ...(otherMode && { ignored: 'other-mode' as const }),
  }));
}

for (const [type, object] of [
  ['charge', aCharge],
  ['invoice', anInvoice],
  ['checkout-session', aSession],
] as const) {
  describe(`two tellings of one ${type}`, () => {
    const telling = tellings(type, object);

    it('say the same in any order, together and repeated', () => {
      fc.assert(
        fc.property(telling, telling, telling, (a, b, c) => {
          const join = betterTelling;
          expect(join(a, b)).to.deep.equal(join(b, a));
          expect(join(join(a, b), c)).to.deep.equal(join(a, join(b, c)));
          expect(join(a, a)).to.deep.equal(a);
          expect(join(join(a, b), a)).to.deep.equal(join(a, b));
        }),
        { numRuns: 1_000 },
      );
    });
  });
}

describe('which telling counts', () => {
  const item = (object: Item['object'], receivedAt = received.receivedAt): Item => ({
    ...itemOf({ ...received, object })!,
    receivedAt,
  });
  const later = '2026-11-01T00:00:09.000Z';

  it('is that of the readable object', () => {
    const unreadable: StripeUnreadable = {
      ...{ object: 'unreadable', type: 'charge', id: 'ch_1', customerId: 'cus_1', detail: 'x' },
    };
    expect(betterTelling(item(unreadable, later), item(charge)).object).to.deep.equal(charge);
  });

  it('of an invoice is the first of two alike, but a paid or fuller one before that', () => {
    const invoice: StripeInvoice = {
      ...{ object: 'invoice', id: 'in_1', customerId: 'cus_1', number: null, status: 'paid' },
      ...{ currency: 'eur', amountPaid: 1, total: 1, totalExcludingTax: null, createdAt: 1 },
      ...{ paidAt: null, subscriptionId: null, payments: null, lines: [], moreLines: false },
      prices: [],
    };
    const full = { ...invoice, payments: { paymentIntentIds: ['pi_1'], chargeIds: [] } };
    const open = { ...full, status: 'open' };
    expect(betterTelling(item(invoice, later), item(invoice))).to.deep.equal(item(invoice));
    expect(betterTelling(item(full, later), item(invoice))).to.deep.equal(item(full, later));
    expect(betterTelling(item(open), item(invoice, later))).to.deep.equal(item(invoice, later));
  });

  it('of a charge is all of them, as of the last', () => {
    const refund = (n: number): StripeRefund => ({
      ...{ id: `re_${n}`, amount: 100, currency: 'eur', status: 'succeeded', createdAt: n },
    });
    const first = { ...charge, refunds: [refund(1)] };
    const second = { ...charge, amountRefunded: 200, refunds: [refund(1), refund(2)] };
    const joined = betterTelling(item(second), item(first, later));
    expect(joined).to.deep.include({ receivedAt: later, object: second });
  });
});
