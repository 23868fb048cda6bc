import { expect } from 'chai';
import {
  pendingBeginning,
  type Reservation,
  reservationOf,
  reservationValue,
  stateTexts,
} from './reservation.ts';

const pending: Reservation = {
  eventId: '01890000-0000-7000-8000-000000000000',
  state: 'pending',
  fingerprint: 'f',
  receivedAt: '2026-01-01T00:00:00.000Z',
  warnings: [{ code: 'OCCURRED_AT_BACKDATED', detail: 'älter', pointer: '/occurredAt' }],
};

describe('a reservation as Redis holds it', () => {
  it('is read as it was written, pending and done', () => {
    for (const state of ['pending', 'done'] as const) {
      const reservation = { ...pending, state };
      expect(reservationOf(reservationValue(reservation))).to.eql(reservation);
    }
  });

  it('becomes the value of done when the end of its beginning is written over', () => {
    const value = reservationValue(pending);
    const beginning = pendingBeginning(pending.eventId);
    expect(value.startsWith(beginning)).to.equal(true);
    const head = beginning.slice(0, -stateTexts.done.length);
    expect(head + stateTexts.done + value.slice(beginning.length)).to.equal(
      reservationValue({ ...pending, state: 'done' }),
    );
  });

  it('begins otherwise when it is another event or done', () => {
    const beginning = pendingBeginning(pending.eventId);
    const done = reservationValue({ ...pending, state: 'done' });
    const another = reservationValue({ ...pending, eventId: 'another' });
    expect([done, another].some((value) => value.startsWith(beginning))).to.equal(false);
  });
});
