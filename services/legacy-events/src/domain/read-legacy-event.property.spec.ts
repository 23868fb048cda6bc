import { eventCodec } from '@tributary/contracts/event-record';
import { personCodec } from '@tributary/contracts/people-record';
import { expect } from 'chai';
import fc from 'fast-check';
import { envelopes } from '../testing/arbitraries.ts';
import { read } from '../testing/envelopes.ts';
import { validate, type Verdict } from '../testing/legacy-rules.ts';
import type { LegacyReading } from './read-legacy-event.ts';

const eventTypes = ['signup-created', 'demo-attended', 'purchase-created', 'purchase-refunded'];

describe('readLegacyEvent, for any JSON (4.4)', () => {
  it('accepts what a second reading of the rules accepts, with the same content', () => {
    const accepted = new Map<string, number>();
    fc.assert(
      fc.property(envelopes, (body) => {
        const verdict = validate(JSON.parse(JSON.stringify(body)));
        expect(contentOf(read(body))).to.deep.equal(verdict);
        const kind = verdict === 'refused' ? verdict : verdict.eventType;
        accepted.set(kind, (accepted.get(kind) ?? 0) + 1);
      }),
      { numRuns: 2_000 },
    );
    // A generator that is always refused would prove nothing.
    for (const kind of [...eventTypes, 'refused']) {
      expect(accepted.get(kind) ?? 0, kind).to.be.greaterThan(15);
    }
  });

  it('makes records that pass their codecs, or a message that repeats nothing', () => {
    fc.assert(
      fc.property(fc.oneof(envelopes, fc.jsonValue()), (body) => {
        const reading = read(body);
        if (reading.outcome === 'refused') {
          expect(reading.message).to.match(/^[\x20-\x7e]{10,120}$/);
          return;
        }
        const { event, person } = reading;
        const wire = Buffer.from(eventCodec.encode(event));
        expect(eventCodec.decode(wire)).to.deep.equal({ outcome: 'record', value: event });
        if (person) personCodec.encode(person);
      }),
      { numRuns: 1_000 },
    );
  });
});

function contentOf(reading: LegacyReading): Verdict {
  if (reading.outcome === 'refused') return 'refused';
  const { event, person } = reading;
  const payment = 'purchase' in event ? event.purchase : 'refund' in event ? event.refund : {};
  const { amount, currency } = payment as { amount?: number; currency?: string };
  return {
    eventType: event.eventType,
    newUserId: event.newUser.id,
    ucc: event.ucc,
    ...(amount !== undefined && { amount }),
    ...(currency !== undefined && { currency }),
    ...(person?.email !== undefined && { email: person.email }),
    ...(person?.name !== undefined && { name: person.name }),
  };
}
