import { warningOf } from '@tributary/contracts/warning';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  eventIdBytes,
  type Reservation,
  reservationOf,
  reservationValue,
  shortFingerprint,
} from './reservation.ts';

const pending: Reservation = {
  eventId: '01890000-0000-7000-8000-0000000000ab',
  state: 'pending',
  fingerprint: shortFingerprint('f'.repeat(43)),
  receivedAt: '2026-01-01T00:00:00.123Z',
  warnings: [],
};

describe('a reservation as Redis holds it', () => {
  it('is read as it was written', () => {
    const warning = fc.oneof(
      fc.constant(warningOf('OCCURRED_AT_IN_FUTURE')),
      fc.nat().map((days) => warningOf('OCCURRED_AT_BACKDATED', String(days))),
      fc
        .constantFrom('/newUser/organizationId', '/a field', '/two\nlines', '')
        .map((pointer) => warningOf('FIELD_NOT_YET_HONOURED', pointer)),
      fc.constant({ code: 'OCCURRED_AT_BACKDATED' as const, detail: 'zu alt: 9 Tage' }),
      fc.constant({ code: '[a code of a later release' as 'OCCURRED_AT_BACKDATED', detail: 'x' }),
    );
    const reservation: fc.Arbitrary<Reservation> = fc.record({
      eventId: fc.uuid(),
      state: fc.constantFrom('pending', 'done'),
      fingerprint: fc
        .uint8Array({ minLength: 32, maxLength: 32 })
        .map((bytes) => shortFingerprint(Buffer.from(bytes).toString('base64url'))),
      receivedAt: fc
        .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
        .map((date) => date.toISOString()),
      warnings: fc.array(warning, { maxLength: 4 }),
    });
    fc.assert(
      fc.property(reservation, (one) => {
        expect(reservationOf(reservationValue(one))).to.eql(one);
      }),
    );
  });

  it('has 41 bytes without a warning, and few more with the usual ones', () => {
    expect(reservationValue(pending)).to.have.length(41);
    const warnings = [
      warningOf('OCCURRED_AT_BACKDATED', '90'),
      warningOf('FIELD_NOT_YET_HONOURED', '/newUser/organizationId'),
    ];
    expect(reservationValue({ ...pending, warnings }).length).to.be.below(120);
  });

  it('begins with state and event id, which is what completes it', () => {
    const value = reservationValue(pending);
    expect(value.subarray(1, 17)).to.eql(eventIdBytes(pending.eventId));
    value.write('d', 0);
    expect(reservationOf(value)).to.eql({ ...pending, state: 'done' });
  });
});
