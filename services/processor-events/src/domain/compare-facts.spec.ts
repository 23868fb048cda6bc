import type { EventRecord } from '@tributary/contracts/event-record';
import { expect } from 'chai';
import { differencesOf } from './compare-facts.ts';
import { purchaseFact, refundFact } from './facts.ts';

const about = {
  ...{ tenantId: 'acme', receivedAt: '2026-11-01T00:00:01.000Z', occurredAtSeconds: 1_793_491_200 },
  identity: { ucc: 'code', newUserId: 'user' },
};
const payment = { invoiceId: 'in_1', currency: 'EUR', amount: 1_000, aliases: ['ch_1', 'pi_1'] };
const monthly = { ...payment, subscription: { interval: 'monthly', seatsUsed: '3' } };

describe('a reported fact beside the one that Stripe would give today', () => {
  const ours: EventRecord = purchaseFact('in_1', about, monthly);

  it('is the same, whenever it was received and whoever it belongs to by now', () => {
    const identity = { ucc: 'other', newUserId: 'other' };
    const receivedAt = '2027-01-01T00:00:00.000Z';
    const wanted = purchaseFact('in_1', { ...about, identity, receivedAt }, monthly);
    expect(differencesOf(ours, wanted)).to.deep.equal([]);
  });

  it('differs in what was paid, when, and for what', () => {
    const subscription = { interval: 'yearly', productKey: 'prod_1' };
    const wanted = purchaseFact(
      'in_1',
      { ...about, occurredAtSeconds: 1_793_491_201 },
      { ...payment, amount: 900, currency: 'USD', subscription },
    );
    expect(differencesOf(ours, wanted)).to.deep.equal([
      { pointer: '/occurredAt', ours: '2026-11-01T00:00:00Z', wanted: '2026-11-01T00:00:01Z' },
      { pointer: '/purchase/amount', ours: 1_000, wanted: 900 },
      { pointer: '/purchase/currency', ours: 'EUR', wanted: 'USD' },
      { pointer: '/purchase/subscription/interval', ours: 'monthly', wanted: 'yearly' },
      { pointer: '/purchase/subscription/productKey', ours: null, wanted: 'prod_1' },
      { pointer: '/purchase/subscription/seatsUsed', ours: '3', wanted: null },
    ]);
  });

  it('differs by a name that it lacks, not by one that it has besides', () => {
    const wanted = purchaseFact('in_1', about, { ...monthly, aliases: ['A-1', 'pi_1'] });
    expect(differencesOf(ours, wanted)).to.deep.equal([
      { pointer: '/purchase/aliases', ours: null, wanted: 'A-1' },
    ]);
  });

  it('of a refund differs in its invoice and amount', () => {
    const refund = { invoiceId: 'pi_1', currency: 'EUR', amount: 5, refundId: 're_1' };
    const wanted = { ...refund, invoiceId: 'in_1', amount: 4 };
    expect(
      differencesOf(refundFact('re_1', about, refund), refundFact('re_1', about, wanted)),
    ).to.deep.equal([
      { pointer: '/refund/amount', ours: 5, wanted: 4 },
      { pointer: '/refund/invoiceId', ours: 'pi_1', wanted: 'in_1' },
    ]);
  });
});
