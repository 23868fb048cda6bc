import { eventCodec } from './event-record.ts';
import { personCodec } from './people-record.ts';
import { readPurchaseCreated } from './public/purchase-created.ts';
import { type V2EventType, v2Events } from './public/v2-events.ts';
import { expect } from 'chai';
import { toEventRecord, toPersonRecord } from './v2-records.ts';

const receipt = {
  tenantId: 't1',
  eventId: '0197f0c0-0000-7000-8000-000000000001',
  receivedAt: '2026-06-01T12:00:00.000Z',
  occurredAtSeconds: '1780315200',
  warnings: [],
};

function read(body: object) {
  const reading = readPurchaseCreated(Buffer.from(JSON.stringify(body)));
  if (reading.outcome !== 'valid') throw new Error(JSON.stringify(reading));
  return reading.body;
}

const smallest = {
  ucc: 'c',
  occurredAt: '2026-06-01T12:00:00Z',
  newUser: { id: 'u' },
  currency: 'EUR',
  invoiceId: 'i',
  amount: 0,
  subscription: { interval: 'monthly' },
};

describe('records of an accepted event (design 3)', () => {
  it('are what the topics take, for the smallest and the fullest body', () => {
    const fullest = {
      ...smallest,
      idempotencyKey: 'k',
      newUser: { id: 'u', email: 'ann@example.com', name: 'Ann', organizationId: 'o' },
      subscription: { id: 's', interval: 'yearly', seatsUsed: 3, productKey: 'p' },
    };
    for (const body of [read(smallest), read(fullest)]) {
      expect(eventCodec.encode(toEventRecord('purchase-created', body, receipt))).to.be.a('string');
    }
    expect(personCodec.encode(toPersonRecord(read(fullest), receipt)!)).to.be.a('string');
  });

  it('are what the topics take, for every type of event (design 8, sibling events)', () => {
    const user = { ucc: 'c', occurredAt: smallest.occurredAt, newUser: { id: 'u' } };
    const refund = { ...user, currency: 'EUR', invoiceId: 'i', amount: 1 };
    const bodies: Record<V2EventType, object[]> = {
      'purchase-created': [smallest],
      'signup-created': [user],
      'demo-attended': [user],
      'purchase-refunded': [
        refund,
        { ...refund, subscription: {} },
        { ...refund, subscription: { id: 's', interval: 'yearly', seatsUsed: 3 } },
      ],
    };
    for (const eventType of Object.keys(v2Events) as V2EventType[]) {
      for (const body of bodies[eventType]) {
        const reading = v2Events[eventType].read(Buffer.from(JSON.stringify(body)));
        if (reading.outcome !== 'valid') throw new Error(`${eventType}: ${reading.outcome}`);
        const record = toEventRecord(eventType, reading.body, receipt);
        expect(record.eventType).to.equal(eventType);
        expect(eventCodec.encode(record)).to.be.a('string');
      }
    }
  });

  it('keep e-mail and name out of the event', () => {
    const body = read({ ...smallest, newUser: { id: 'u', email: 'ann@example.com', name: 'Ann' } });
    const event = JSON.stringify(toEventRecord('purchase-created', body, receipt));
    expect(event).not.to.match(/ann/i);
    expect(toPersonRecord(body, receipt)).to.include({ email: 'ann@example.com', name: 'Ann' });
  });

  it('have no person when the caller sent neither e-mail nor name', () => {
    expect(toPersonRecord(read(smallest), receipt)).to.equal(undefined);
  });

  it('keep every digit of seatsUsed', () => {
    const reading = readPurchaseCreated(
      Buffer.from(
        JSON.stringify({
          ...smallest,
          subscription: { interval: 'monthly', seatsUsed: 0 },
        }).replace('"seatsUsed":0', '"seatsUsed":90071992547409931234'),
      ),
    );
    if (reading.outcome !== 'valid') throw new Error(reading.outcome);
    expect(toEventRecord('purchase-created', reading.body, receipt)).to.have.nested.property(
      'purchase.subscription.seatsUsed',
      '90071992547409931234',
    );
  });
});
