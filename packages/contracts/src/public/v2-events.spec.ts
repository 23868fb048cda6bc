import { expect } from 'chai';
import { isV2EventType, type V2EventType, v2Events } from './v2-events.ts';

const user = { ucc: 'c', occurredAt: '2026-01-31T12:00:00Z', newUser: { id: 'u' } };
const refund = { ...user, currency: 'EUR', invoiceId: 'i', amount: 0 };

/** `[pointer, code]` of each violation; empty when the body is accepted. */
function violations(type: V2EventType, body: object): [string, string][] {
  const reading = v2Events[type].read(Buffer.from(JSON.stringify(body)));
  if (reading.outcome === 'malformed') throw new Error(reading.detail);
  if (reading.outcome === 'valid') return [];
  return reading.violations.map(({ pointer, code }) => [pointer, code]);
}

describe('the sibling events (interface 4.2, design 8)', () => {
  it('are four, and no inherited name is one', () => {
    expect(Object.keys(v2Events)).to.have.members([
      'purchase-created',
      'signup-created',
      'demo-attended',
      'purchase-refunded',
    ]);
    for (const name of ['constructor', '__proto__', 'Purchase-created', '']) {
      expect(isV2EventType(name), name).to.equal(false);
    }
  });

  for (const type of ['signup-created', 'demo-attended'] as const) {
    it(`${type} takes ucc, occurredAt, newUser and idempotencyKey, and nothing else`, () => {
      expect(violations(type, user)).to.eql([]);
      expect(violations(type, { ...user, idempotencyKey: 'k' })).to.eql([]);
      expect(violations(type, { ...refund, subscription: {} })).to.eql([
        ['/currency', 'UNKNOWN_FIELD'],
        ['/invoiceId', 'UNKNOWN_FIELD'],
        ['/amount', 'UNKNOWN_FIELD'],
        ['/subscription', 'UNKNOWN_FIELD'],
      ]);
      expect(violations(type, {})).to.eql([
        ['/ucc', 'REQUIRED'],
        ['/occurredAt', 'REQUIRED'],
        ['/newUser', 'REQUIRED'],
      ]);
    });
  }

  it('purchase-refunded has an optional subscription whose every field is optional (2.5)', () => {
    for (const subscription of [undefined, {}, { interval: 'monthly' }, { seatsUsed: 1 }]) {
      expect(violations('purchase-refunded', { ...refund, subscription })).to.eql([]);
    }
    const wrong = { interval: 'daily', id: '', seatsUsed: -1, productKey: null, x: 1 };
    expect(violations('purchase-refunded', { ...refund, subscription: wrong })).to.eql([
      ['/subscription/interval', 'INVALID_ENUM'],
      ['/subscription/id', 'OUT_OF_RANGE'],
      ['/subscription/seatsUsed', 'OUT_OF_RANGE'],
      ['/subscription/productKey', 'INVALID_TYPE'],
      ['/subscription/x', 'UNKNOWN_FIELD'],
    ]);
    expect(violations('purchase-refunded', user)).to.eql([
      ['/currency', 'REQUIRED'],
      ['/invoiceId', 'REQUIRED'],
      ['/amount', 'REQUIRED'],
    ]);
  });

  it('hint only at fields that the event has', () => {
    const detailOf = (type: V2EventType, name: string) => {
      const reading = v2Events[type].read(Buffer.from(JSON.stringify({ [name]: 1, ...user })));
      return reading.outcome === 'invalid' ? reading.violations[0]?.detail : undefined;
    };
    expect(detailOf('signup-created', 'price')).not.to.contain('amount');
    expect(detailOf('signup-created', 'payload')).to.match(/: ucc, newUser\.id\.$/);
    expect(detailOf('signup-created', 'context')).to.match(/: newUser, occurredAt\.$/);
    expect(detailOf('purchase-refunded', 'price')).to.contain('amount');
    expect(detailOf('purchase-refunded', 'payload')).to.contain('newUser.id, amount, currency');
    expect(detailOf('purchase-refunded', 'context')).to.contain('subscription, occurredAt');
  });
});
