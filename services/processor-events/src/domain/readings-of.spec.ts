import type {
  ProcessorRecord,
  StripeCheckoutSession,
  StripeCustomer,
  StripeObject,
  StripePrice,
  StripeUnreadable,
} from '@tributary/contracts/processor-record';
import { expect } from 'chai';
import type { Reading } from './model.ts';
import { nextReading, readingsOf } from './readings-of.ts';
import { subjectOf } from './subject-of.ts';

const receivedAt = '2026-11-01T00:00:01.000Z';
const price: StripePrice = { object: 'price', id: 'price_1', productId: null, interval: null };
const customer: StripeCustomer = {
  ...{ object: 'customer', id: 'cus_1', deleted: false, ucc: 'c', newUserId: 'u' },
};
const session: StripeCheckoutSession = {
  ...{ object: 'checkout-session', id: 'cs_1', customerId: 'cus_1', mode: 'payment' },
  ...{ paymentStatus: 'paid', invoiceId: null, paymentIntentId: 'pi_1', currency: 'eur' },
  ...{ amountTotal: 1, amountTax: null, createdAt: 1 },
};

function received(object: StripeObject): ProcessorRecord & { type: 'received' } {
  return {
    ...{ schemaVersion: 1, tenantId: 'acme', connectionId: 'c0ffee1234567890abcdef' },
    ...{ processor: 'stripe', subject: 'cus_1', receivedAt, taxPolicy: 'gross', type: 'received' },
    ...{ processorEventId: 'evt_1', kind: 'k', livemode: true, createdAt: 1, apiVersion: null },
    object,
  };
}

const namesOf = (record: ProcessorRecord) =>
  readingsOf(record).map(({ type, id }) => `${type} ${id}`);

describe('what a record tells of objects at Stripe', () => {
  it('is the object, and the prices that it carries', () => {
    const subscription = { object: 'subscription', id: 's', customerId: null } as const;
    expect(namesOf(received({ ...subscription, prices: [price] }))).to.deep.equal([
      'price price_1',
    ]);
    expect(readingsOf(received(customer))).to.deep.equal([
      { type: 'customer', id: 'cus_1', reading: { object: customer, receivedAt } },
    ]);
    const lines = { object: 'session-lines', ownerId: 'cs_1', lines: [], prices: [price] } as const;
    expect(namesOf(received({ ...lines, lines: [], prices: [price] }))).to.deep.equal([
      ...['session-lines cs_1', 'price price_1'],
    ]);
  });

  it('is a session by its payment, too', () => {
    expect(namesOf(received(session))).to.deep.equal([
      ...['checkout-session cs_1', 'checkout-session pi_1'],
    ]);
  });

  it('is nothing of the other mode', () => {
    expect(readingsOf({ ...received(customer), ignored: 'other-mode' })).to.deep.equal([]);
  });
});

describe('what is kept when something is read again', () => {
  const at = (second: number, object: StripeObject): Reading => ({
    ...{ object, receivedAt: `2026-11-01T00:00:0${second}.000Z` },
  });
  const absent = { object: 'absent', type: 'customer', id: 'cus_1' } as const;
  const gone = { ...customer, deleted: true, ucc: null, newUserId: null };

  it('is the later reading', () => {
    const changed = { ...customer, ucc: null };
    expect(nextReading(undefined, at(1, customer))).to.deep.equal(at(1, customer));
    expect(nextReading(at(1, customer), at(2, changed))).to.deep.equal(at(2, changed));
    expect(nextReading(at(1, absent), at(2, customer))).to.deep.equal(at(2, customer));
  });

  it('is the metadata that a customer had before it was deleted', () => {
    for (const last of [gone, absent]) {
      const kept = nextReading(at(1, customer), at(2, last));
      expect(kept).to.deep.equal(at(2, { ...customer, deleted: true }));
      expect(nextReading(kept, at(3, last))).to.deep.equal(at(3, { ...customer, deleted: true }));
    }
    expect(nextReading(at(1, gone), at(2, gone))).to.deep.equal(at(2, gone));
  });

  it('is the first reading of a price, and a session that was paid', () => {
    expect(nextReading(at(1, price), at(2, price))).to.deep.equal(at(1, price));
    const unpaid = { ...session, paymentStatus: 'unpaid' };
    expect(nextReading(at(1, session), at(2, unpaid))).to.deep.equal(at(2, session));
    expect(nextReading(at(1, unpaid), at(2, session))).to.deep.equal(at(2, session));
  });

  it('is what was known when it is not understood any more', () => {
    const unreadable: StripeUnreadable = {
      ...{ object: 'unreadable', type: 'checkout-session', id: 'cs_1' },
      ...{ customerId: null, detail: 'x' },
    };
    const unpaid = { ...session, paymentStatus: 'unpaid' };
    expect(nextReading(at(1, unpaid), at(2, unreadable))).to.deep.equal(at(2, unpaid));
  });
});

describe('the subject of a record', () => {
  it('is the customer, else the object', () => {
    expect(subjectOf(session)).to.equal('cus_1');
    expect(subjectOf({ ...session, customerId: null })).to.equal('cs_1');
    expect(subjectOf(customer)).to.equal('cus_1');
    expect(subjectOf({ object: 'refunds', chargeId: 'ch_1', refunds: [] })).to.equal('ch_1');
  });
});
