import { eventCodec } from '@tributary/contracts/event-record';
import { personCodec } from '@tributary/contracts/people-record';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseRawJson } from './raw-json.ts';
import { readLegacyEvent, type LegacyReading } from './read-legacy-event.ts';

const receipt = {
  eventId: '01980000-0000-7000-8000-000000000001',
  tenantId: 't1',
  receivedAt: new Date('2026-03-01T12:00:00.000Z'),
  backdatingWindowDays: 90,
};

describe('readLegacyEvent (interface 4.4)', () => {
  it('reads a payment', () => {
    expect(eventOf(payment())).to.deep.equal({
      schemaVersion: 1,
      eventId: receipt.eventId,
      tenantId: 't1',
      source: 'legacy',
      eventType: 'purchase-created',
      receivedAt: '2026-03-01T12:00:00.000Z',
      occurredAt: '2026-03-01T10:00:00Z',
      occurredAtSeconds: '1772359200',
      occurredAtRaw: '2026-03-01 10:00:00',
      ucc: 'CODE1',
      newUser: { id: 'u1' },
      purchase: { invoiceId: 'inv-1', currency: 'EUR', amount: 4900 },
    });
  });

  it('reads a signup: price 0, empty currency (4.4)', () => {
    const event = eventOf({ payload: { ucc: 'CODE1', newUserId: 'u1', price: 0, currency: '' } });
    expect(event).to.include({ eventType: 'signup-created', ucc: 'CODE1' });
    expect(event).not.to.have.property('purchase');
  });

  it('puts e-mail and name into the person and nowhere else (design 5)', () => {
    const body = payment();
    Object.assign(body.context, { newUser: { id: 'u1', email: 'a@example.com', name: 'Ann' } });
    const reading = read(body);
    expect(reading).to.have.property('person').that.deep.equals({
      schemaVersion: 1,
      tenantId: 't1',
      userId: 'u1',
      email: 'a@example.com',
      name: 'Ann',
      receivedAt: '2026-03-01T12:00:00.000Z',
      eventId: receipt.eventId,
    });
    expect(JSON.stringify(eventOf(body))).not.to.match(/Ann|example/);
  });

  it('names newUserId when it is missing, null or empty (7 rule 3)', () => {
    for (const newUserId of [undefined, null, '']) {
      expect(messageOf({ payload: { ucc: 'C', newUserId } })).to.equal(
        'payload.newUserId is missing',
      );
    }
    expect(messageOf({ payload: { price: 'ten' } })).to.equal('payload.newUserId is missing');
    expect(messageOf({})).to.equal('payload.newUserId is missing');
    expect(messageOf({ payload: {}, context: 7 })).to.equal('payload.newUserId is missing');
  });

  it('takes numbers as text and rounds half up, with a warning', () => {
    const event = eventOf(payment({ price: '4900.5' }));
    expect(event).to.have.nested.property('purchase.amount', 4901);
    expect(event?.warnings?.map((w) => [w.code, w.pointer])).to.deep.equal([
      ['AMOUNT_ROUNDED', '/payload/price'],
    ]);
  });

  it('rounds what was written, not a float of it', () => {
    const text = JSON.stringify(payment()).replace('4900', '0.49999999999999999999');
    const reading = readLegacyEvent(parseRawJson(Buffer.from(text))!, receipt);
    expect(reading).to.have.nested.property('event.purchase.amount', 0);
  });

  it('upper-cases the currency and refuses one that is not in the list', () => {
    expect(eventOf(payment({ currency: 'usd' }))).to.have.nested.property(
      'purchase.currency',
      'USD',
    );
    expect(messageOf(payment({ currency: 'HRK' }))).to.match(/^payload\.currency/);
    expect(messageOf(payment({ currency: '' }))).to.equal('payload.currency is missing');
  });

  it('refuses a price that is negative, no number or too large', () => {
    for (const price of [-1, 'ten', true, '9007199254740992', {}]) {
      expect(messageOf(payment({ price }))).to.match(/^payload\.price/);
    }
  });

  it('allows a payment without an invoice id', () => {
    const body = payment();
    Object.assign(body.context, { subscription: { id: 's1', interval: 'monthly', seatsUsed: 3 } });
    const event = eventOf(body);
    expect(event?.warnings?.map((w) => w.pointer)).to.deep.equal([
      '/context/subscription/id',
      '/context/subscription/seatsUsed',
    ]);
    expect(event).to.have.deep.property('purchase', {
      currency: 'EUR',
      amount: 4900,
      subscription: { id: 's1', interval: 'monthly', seatsUsed: '3' },
    });
  });

  it('refuses known triggers that are not processed yet instead of losing them', () => {
    for (const trigger of ['demo-call-attended', 'charge-refunded']) {
      expect(messageOf(payment({}, { trigger }))).to.match(/not processed yet.*not stored/);
    }
    expect(messageOf(payment({}, { trigger: 'nonsense' }))).to.match(/^context\.event\.trigger/);
  });

  it('takes the time of receipt when there is no timestamp, with a warning', () => {
    const event = eventOf(payment({}, { timestamp: undefined }));
    expect(event).to.include({ occurredAt: '2026-03-01T12:00:00.000Z' });
    expect(event?.warnings?.[0]?.code).to.equal('OCCURRED_AT_MISSING');
  });

  it('warns about times ahead and long past, at the legacy pointer', () => {
    const codes = ['2026-03-01T12:06:00Z', '2025-01-01'].map((timestamp) => {
      return eventOf(payment({}, { timestamp }))?.warnings?.map((w) => [w.code, w.pointer]);
    });
    expect(codes).to.deep.equal([
      [['OCCURRED_AT_IN_FUTURE', '/context/event/timestamp']],
      [['OCCURRED_AT_BACKDATED', '/context/event/timestamp']],
    ]);
  });

  it('ignores unknown fields and names them for the count', () => {
    const body = { ...payment(), extra: { deep: 1 } };
    Object.assign(body.payload, { newUserEmail: 'a@example.com' });
    Object.assign(body.context, { newUser: { fullName: 'Ann' } });
    const reading = read(body);
    expect(reading).to.have.property('outcome', 'event');
    expect(reading).to.have.deep.property('unknownFields', [
      'payload.newUserEmail',
      'context.newUser.fullName',
      'extra',
    ]);
    expect(JSON.stringify(eventOf(body))).not.to.match(/Ann|example/);
  });

  it('refuses characters that no table can hold', () => {
    for (const newUserId of ['a\0b', '\ud800']) {
      expect(messageOf(payment({ newUserId }))).to.match(/^payload\.newUserId holds/);
    }
  });

  it('answers any JSON with an encodable record or a message (property)', () => {
    const member = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.jsonValue());
    const anyBody = fc.record(
      {
        eventName: fc.constantFrom('ReferralUpdated', undefined),
        payload: fc.record({ ucc: member, newUserId: member, price: member, currency: member }),
        context: fc.record({
          event: fc.record({ timestamp: member, trigger: fc.constantFrom('invoice-paid', 'x') }),
          newUser: fc.record({ email: member, name: member, organizationId: member }),
          subscription: fc.record({ id: member, seatsUsed: member, invoiceId: member }),
        }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(anyBody, fc.jsonValue()), (body) => {
        const reading = read(body);
        if (reading.outcome === 'refused') return void expect(reading.message).to.be.a('string');
        eventCodec.encode(reading.event);
        if (reading.person) personCodec.encode(reading.person);
      }),
    );
  });
});

function payment(payload: Record<string, unknown> = {}, event: Record<string, unknown> = {}) {
  return {
    eventName: 'ReferralUpdated',
    payload: { ucc: 'CODE1', newUserId: 'u1', price: 4900, currency: 'EUR', ...payload },
    context: {
      event: { trigger: 'invoice-paid', timestamp: '2026-03-01 10:00:00', ...event },
      subscription: { invoiceId: 'inv-1' },
    },
  };
}

function read(body: unknown): LegacyReading {
  const raw = parseRawJson(Buffer.from(JSON.stringify(body)));
  if (raw === undefined) throw new Error('not JSON');
  return readLegacyEvent(raw, receipt);
}

function eventOf(body: unknown) {
  const reading = read(body);
  return reading.outcome === 'event' ? reading.event : undefined;
}

function messageOf(body: unknown): string | undefined {
  const reading = read(body);
  return reading.outcome === 'refused' ? reading.message : undefined;
}
