import { expect } from 'chai';
import {
  demoBusinessKey,
  legacyPaymentBusinessKey,
  purchaseBusinessKey,
  refundBusinessKey,
  signupBusinessKey,
} from './business-key.ts';

describe('business keys (design 7)', () => {
  it('are JSON arrays of what makes the fact one fact', () => {
    expect(purchaseBusinessKey('t1', 'inv_1')).to.equal('["purchase","t1","inv_1"]');
    expect(signupBusinessKey('t1', 'u1')).to.equal('["signup","t1","u1"]');
    expect(demoBusinessKey('t1', 'u1')).to.equal('["demo","t1","u1"]');
  });

  it('cannot be imitated by an id that contains separators', () => {
    expect(purchaseBusinessKey('t1', 'a","b')).to.equal('["purchase","t1","a\\",\\"b"]');
  });

  it('digest what tells legacy purchases without an invoice id apart', () => {
    const purchase = {
      newUserId: 'u1',
      trigger: 'purchase-created',
      rawTimestamp: '2026-01-31 12:00:00',
      amount: 4900,
      currency: 'EUR',
    };
    const key = legacyPaymentBusinessKey('legacy-purchase', 't1', purchase);
    expect(key).to.match(/^\["legacy-purchase","t1","[0-9a-f]{64}"\]$/);
    expect(legacyPaymentBusinessKey('legacy-purchase', 't1', { ...purchase })).to.equal(key);
    const others = [
      { newUserId: 'u2' },
      { rawTimestamp: '2026-01-31T12:00:00' },
      { amount: 4901 },
      { currency: 'USD' },
      { subscriptionId: 's1' },
    ].map((change) =>
      legacyPaymentBusinessKey('legacy-purchase', 't1', { ...purchase, ...change }),
    );
    expect(new Set([key, ...others]).size).to.equal(6);
  });

  it('tell refunds of one invoice apart by key, else by time and amount', () => {
    const refund = { invoiceId: 'i', source: 'v2', occurredAtSeconds: '1.5', amount: 100 };
    const keyed = { ...refund, idempotencyKey: 'k' };
    const key = (of: typeof refund & { idempotencyKey?: string }) => refundBusinessKey('t1', of);
    expect(key(refund)).to.match(/^\["refund","t1","i","v2","[0-9a-f]{64}"\]$/);
    expect(key({ ...keyed, occurredAtSeconds: '2', amount: 7 })).to.equal(key(keyed));
    const all = [
      refund,
      keyed,
      { ...keyed, idempotencyKey: 'l' },
      { ...refund, occurredAtSeconds: '1.50000000000000000001' },
      { ...refund, amount: 101 },
      { ...refund, source: 'processor' },
      { ...refund, invoiceId: 'j' },
    ].map(key);
    expect(new Set(all).size).to.equal(all.length);
  });

  it('keep legacy refunds without an invoice apart from such purchases', () => {
    const payment = {
      newUserId: 'u1',
      trigger: 'x',
      rawTimestamp: '2026-01-31',
      amount: 1,
      currency: 'EUR',
    };
    expect(legacyPaymentBusinessKey('legacy-refund', 't1', payment)).not.to.equal(
      legacyPaymentBusinessKey('legacy-purchase', 't1', payment),
    );
  });
});
