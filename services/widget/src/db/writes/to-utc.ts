/**
 * Exact decimal seconds since the epoch as UTC with milliseconds; what is finer is cut off. A fact
 * may have occurred in any year from 0000 to 9999 at any offset; what that puts outside these years
 * in UTC is shown at their edge, so that the text still sorts as it reads.
 */
export function toUtc(exactSeconds: string): string {
  const [, sign, whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(exactSeconds) ?? [];
  const ms = Number(whole) * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  const signed = sign === '-' ? -ms : ms;
  return new Date(Math.min(Math.max(signed, firstMs), lastMs)).toISOString();
}

const firstMs = Date.parse('0000-01-01T00:00:00.000Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');
