import { eventSchemaVersion } from '@tributary/contracts/event-record';
import { expect } from 'chai';
import { eventOf, messageOf, payment, read, readText, receipt } from '../testing/envelopes.ts';

describe('readLegacyEvent (interface 4.4)', () => {
  const common = {
    schemaVersion: eventSchemaVersion,
    eventId: receipt.eventId,
    tenantId: 't1',
    source: 'legacy',
    receivedAt: '2026-03-01T12:00:00.000Z',
    occurredAt: '2026-03-01T10:00:00Z',
    occurredAtSeconds: '1772359200',
    occurredAtRaw: '2026-03-01 10:00:00',
    ucc: 'CODE1',
    newUser: { id: 'u1' },
  };
  const paid = { invoiceId: 'inv-1', currency: 'EUR', amount: 4900 };

  const records: Record<string, object> = {
    'new-signup': { eventType: 'signup-created' },
    'demo-call-attended': { eventType: 'demo-attended' },
    'invoice-paid': { eventType: 'purchase-created', purchase: paid },
    'charge-refunded': { eventType: 'purchase-refunded', refund: paid },
  };
  for (const [trigger, own] of Object.entries(records)) {
    it(`reads ${trigger} (design 8, triggers)`, () => {
      expect(eventOf(payment({ event: { trigger } }))).to.deep.equal({ ...common, ...own });
    });
  }

  it('reads a signup: price 0, empty currency (4.4)', () => {
    const event = eventOf({ payload: { ucc: 'CODE1', newUserId: 'u1', price: 0, currency: '' } });
    expect(event).to.include({ eventType: 'signup-created', ucc: 'CODE1' });
  });

  it('needs nothing but newUserId (4.4)', () => {
    expect(eventOf({ payload: { newUserId: 'u1' } })).to.include({
      eventType: 'signup-created',
      ucc: '',
    });
  });

  it('refuses a trigger that is none of the four, naming them', () => {
    for (const trigger of ['nonsense', 'INVOICE-PAID', 'constructor', true, 7, {}]) {
      expect(messageOf(payment({ event: { trigger } }))).to.match(/^context\.event\.trigger/);
    }
    expect(messageOf(payment({ event: { trigger: 'x' } }))).to.include('demo-call-attended');
  });

  it('takes an absent eventName, and refuses that of an event which it does not know', () => {
    for (const eventName of [undefined, null, '', 'ReferralUpdated']) {
      expect(read({ ...payment(), eventName })).to.have.property('outcome', 'event');
    }
    for (const eventName of ['ReferralDeleted', 'referralUpdated', 1, []]) {
      expect(messageOf({ ...payment(), eventName })).to.match(/^eventName/);
    }
  });

  it('names newUserId when it is missing, null or empty, whatever else is wrong (7 rule 3)', () => {
    const lacking: unknown[] = [
      {},
      { payload: null },
      { payload: [] },
      { payload: 'text', context: 7 },
      { payload: {} },
      { payload: { newUserId: null } },
      { payload: { newUserId: '' } },
      { payload: { price: 'ten', currency: 'XXZ', NewUserId: 'u1' } },
      { payload: {}, newUserId: 'u1', context: { newUser: { id: 'u1' } } },
      JSON.parse('{"payload":{"__proto__":{"newUserId":"u1"}}}'),
      JSON.parse('{"__proto__":{"payload":{"newUserId":"u1"}}}'),
    ];
    for (const body of lacking) {
      expect(messageOf(body), JSON.stringify(body)).to.equal('payload.newUserId is missing');
    }
    for (const body of [null, [], 'text', 5, true, [payment()]]) {
      expect(messageOf(body), JSON.stringify(body)).to.match(/^payload\.newUserId is missing/);
    }
  });

  it('names newUserId when it cannot be used: type, characters, more than 255 of them', () => {
    const unusable = [true, {}, ['u1'], 1.5, 'a\0b', '\ud800', 'x'.repeat(256), '🦊'.repeat(256)];
    for (const newUserId of unusable) {
      const message = messageOf(payment({ payload: { newUserId } }));
      expect(message).to.match(/^payload\.newUserId (must be|holds|is longer)/);
    }
  });

  it('takes whole numbers for ids, digit by digit, and lengths in code points', () => {
    const text = JSON.stringify(payment()).replace('"u1"', '90071992547409931234');
    expect(readText(text)).to.have.nested.property('event.newUser.id', '90071992547409931234');
    for (const newUserId of [' ', '🦊'.repeat(255), 'a:b', '\u0001', '0']) {
      expect(eventOf(payment({ payload: { newUserId } })).newUser.id).to.equal(newUserId);
    }
  });

  it('stores an event without a code, for attribution to decide as unknown-code', () => {
    for (const ucc of [undefined, null, '']) {
      expect(eventOf(payment({ payload: { ucc } })).ucc).to.equal('');
    }
    expect(eventOf(payment({ payload: { ucc: 12 } })).ucc).to.equal('12');
    expect(eventOf(payment({ payload: { ucc: ' c ' } })).ucc).to.equal(' c ');
    for (const ucc of [true, {}, 'x'.repeat(256), 'a\0']) {
      expect(messageOf(payment({ payload: { ucc } }))).to.match(/^payload\.ucc/);
    }
  });

  it('takes [] for an empty object, and refuses what else is no object', () => {
    const body = { ...payment(), context: [] };
    expect(eventOf(body)).to.include({ eventType: 'purchase-created' });
    for (const context of ['text', 7, [1], { event: true }, { newUser: 'u1' }]) {
      expect(messageOf({ ...payment(), context })).to.match(/^context.* must be an object$/);
    }
  });

  it('ignores unknown fields and names them for the count (4.4: flat fields, fullName)', () => {
    const body = { ...payment({ newUser: { fullName: 'Ann Canary' } }), extra: { deep: 'Canary' } };
    Object.assign(body.payload, { newUserEmail: 'canary@example.com' });
    const reading = read(body);
    expect(reading).to.have.deep.property('unknownFields', [
      'payload.newUserEmail',
      'context.newUser.fullName',
      'extra',
    ]);
    expect(reading).to.not.have.property('person');
    expect(JSON.stringify(reading)).not.to.match(/canary|example/i);
  });
});
