import { parseTimestamp } from '@tributary/contracts/rfc3339';

export const secondsPerDay = 86_400;

/** A time of the log or of a code as exact decimal seconds since the epoch. */
export function secondsOf(timestamp: string): string {
  const instant = parseTimestamp(timestamp);
  if (!instant) throw new Error('a time of a code or event is not RFC 3339');
  return instant.seconds;
}

/** Exact, whatever the number of digits; `more` is a whole number of seconds. */
export function plusSeconds(seconds: string, more: number): string {
  const [whole = '0', fraction = ''] = seconds.split('.');
  const scaled = BigInt(whole + fraction) + BigInt(more) * 10n ** BigInt(fraction.length);
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(fraction.length + 1, '0');
  const point = digits.length - fraction.length;
  const sign = scaled < 0n ? '-' : '';
  return `${sign}${digits.slice(0, point)}${fraction === '' ? '' : `.${digits.slice(point)}`}`;
}
