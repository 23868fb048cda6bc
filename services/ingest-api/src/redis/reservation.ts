import type { Warning } from '@tributary/contracts/warning';

/** Which request holds a key, and what was answered, or will be. */
export type Reservation = {
  fingerprint: string;
  eventId: string;
  receivedAt: string;
  warnings: Warning[];
  state: 'pending' | 'done';
};

/**
 * A reserve that took longer is given up before its append. Together with the append's deadline it
 * bounds how long a keyed request can live, which a rebuild of the store waits for.
 */
export const reserveLimitMs = 1_500;

/**
 * A reservation as Redis holds it: JSON whose first two members are the event id and the state, so
 * that `completeKeys` (scripts.ts) need only compare how a value begins and write `done` over
 * `pending`, without reading or sending the rest again. The shorter state is padded with blanks.
 */
export function reservationValue(reservation: Reservation): string {
  const { eventId, state, fingerprint, receivedAt, warnings } = reservation;
  const rest = JSON.stringify({ fingerprint, receivedAt, warnings });
  return `${beginning(eventId)}${stateTexts[state]},${rest.slice(1)}`;
}

export function reservationOf(value: string): Reservation {
  return JSON.parse(value) as Reservation;
}

/** How the value of a pending reservation begins; it ends with the state. */
export function pendingBeginning(eventId: string): string {
  return beginning(eventId) + stateTexts.pending;
}

export const stateTexts = { pending: '"pending"', done: '"done"   ' } as const;

function beginning(eventId: string): string {
  return `{"eventId":${JSON.stringify(eventId)},"state":`;
}
