import { isDeepStrictEqual } from 'node:util';
import { type Warning, warningCodes, warningOf } from '@tributary/contracts/warning';

/** Which request holds a key, and what was answered, or will be. */
export type Reservation = {
  /** What tells its body from another, see {@link shortFingerprint}. */
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

/** 144 bits of a digest in base64url: enough to tell two bodies of one key apart. */
export function shortFingerprint(digest: string): string {
  return digest.slice(0, 24);
}

/**
 * A reservation as Redis holds it, in bytes; scripts.ts knows these places, too:
 *
 *   0       state, `p` or `d`
 *   1..16   event id
 *   17..22  receivedAt in milliseconds of the epoch, the high byte first
 *   23..40  fingerprint
 *   41..    warnings, where there are any
 *
 * 41 bytes and Redis' own head of a value take 64 in all.
 */
export function reservationValue(reservation: Reservation): Buffer {
  const { eventId, state, fingerprint, receivedAt, warnings } = reservation;
  const texts = warningTexts(warnings);
  const value = Buffer.alloc(places.warnings + Buffer.byteLength(texts));
  value.write(stateBytes[state], 0, 'latin1');
  eventIdBytes(eventId).copy(value, places.eventId);
  value.writeUIntBE(Date.parse(receivedAt), places.receivedAt, 6);
  value.write(fingerprint, places.fingerprint, places.warnings - places.fingerprint, 'base64url');
  value.write(texts, places.warnings, 'utf8');
  return value;
}

export function reservationOf(value: Buffer): Reservation {
  const { eventId, receivedAt, fingerprint, warnings } = places;
  const id = value.toString('hex', eventId, receivedAt);
  return {
    state: value.toString('latin1', 0, 1) === stateBytes.done ? 'done' : 'pending',
    eventId: [
      id.slice(0, 8),
      id.slice(8, 12),
      id.slice(12, 16),
      id.slice(16, 20),
      id.slice(20),
    ].join('-'),
    receivedAt: new Date(value.readUIntBE(receivedAt, 6)).toISOString(),
    fingerprint: value.toString('base64url', fingerprint, warnings),
    warnings: warningsOf(value.toString('utf8', warnings)),
  };
}

export function eventIdBytes(eventId: string): Buffer {
  return Buffer.from(eventId.replaceAll('-', ''), 'hex');
}

const places = { eventId: 1, receivedAt: 17, fingerprint: 23, warnings: 41 };

const stateBytes = { pending: 'p', done: 'd' } as const;

/**
 * Code and argument of each, from which its text is made again; as JSON where that would not give
 * the same text, as for one that another release has written to the log.
 */
function warningTexts(warnings: readonly Warning[]): string {
  if (warnings.length === 0) return '';
  if (!warnings.every(({ code }) => warningCodes.includes(code))) return JSON.stringify(warnings);
  const lines = warnings.map(({ code, detail, pointer }) => {
    const argument = code === 'FIELD_NOT_YET_HONOURED' ? pointer : detail.match(/\d+/)?.[0];
    return `${code} ${argument ?? ''}`;
  });
  const text = lines.join('\n');
  return isDeepStrictEqual(warningsOf(text), warnings) ? text : JSON.stringify(warnings);
}

function warningsOf(text: string): Warning[] {
  if (text === '') return [];
  if (text.startsWith('[')) return JSON.parse(text) as Warning[];
  return text.split('\n').map((line) => {
    const [code = '', argument = ''] = line.split(' ', 2);
    return warningOf(code as Warning['code'], argument);
  });
}
