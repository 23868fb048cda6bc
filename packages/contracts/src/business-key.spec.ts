import { expect } from 'chai';
import {
  legacyPurchaseBusinessKey,
  purchaseBusinessKey,
  signupBusinessKey,
} from './business-key.ts';

describe('business keys (design 7)', () => {
  it('are JSON arrays of what makes the fact one fact', () => {
    expect(purchaseBusinessKey('t1', 'inv_1')).to.equal('["purchase","t1","inv_1"]');
    expect(signupBusinessKey('t1', 'u1')).to.equal('["signup","t1","u1"]');
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
    const key = legacyPurchaseBusinessKey('t1', purchase);
    expect(key).to.match(/^\["legacy-purchase","t1","[0-9a-f]{64}"\]$/);
    expect(legacyPurchaseBusinessKey('t1', { ...purchase })).to.equal(key);
    const others = [
      { newUserId: 'u2' },
      { rawTimestamp: '2026-01-31T12:00:00' },
      { amount: 4901 },
      { currency: 'USD' },
      { subscriptionId: 's1' },
    ].map((change) => legacyPurchaseBusinessKey('t1', { ...purchase, ...change }));
    expect(new Set([key, ...others]).size).to.equal(6);
  });
});
