import { hash } from 'node:crypto';

// How read models keep ids and times: in a fraction of their text's bytes, in the same order, and
// so that no record, however odd, stops its partition.

/** Ids are uuids. One that is not is kept as what is derived of it; its text is in the record. */
export function keyOf(id: string): string {
  if (uuid.test(id)) return id;
  const digits = hash('sha256', id, 'hex');
  return [0, 8, 12, 16, 20].map((at, i, cuts) => digits.slice(at, cuts[i + 1] ?? 32)).join('-');
}

export function keyOrNull(id: string | undefined): string | null {
  return id === undefined ? null : keyOf(id);
}

/** As records write it. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The digits of a time in UTC with milliseconds: 2026-03-01T12:00:00.000Z is 20260301120000000. */
export function timeKeyOf(time: string): string {
  return time.replace(/\D/g, '').slice(0, timeDigits).padEnd(timeDigits, '0');
}

/** The time of its digits, as Postgres gives a bigint. */
export function timeOf(key: string): string {
  const digits = key.padStart(timeDigits, '0');
  const [, ...parts] = /^(....)(..)(..)(..)(..)(..)(...)$/.exec(digits) ?? [];
  const [year, month, day, hours, minutes, seconds, ms] = parts;
  return `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${ms}Z`;
}

const timeDigits = 17;
