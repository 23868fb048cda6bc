import type { Ordered } from '@tributary/contracts/canonical-order';
import { withoutTrailingZeros } from '@tributary/contracts/trailing-zeros';

/**
 * A position in the canonical order as text: two sort keys compare, byte by byte, as their facts
 * do. So the fold, an index (collation "C") and a checkpoint all mean the same by "before", with as
 * many digits as a caller likes to send.
 */
export type SortKey = string;

export function sortKeyOf({ occurredAtSeconds, receivedAt, eventId }: Ordered): SortKey {
  const { whole, fraction } = exactSeconds(occurredAtSeconds);
  return `${sortable(whole)}${fraction} ${receivedAt} ${eventId}`;
}

/** Before every fact of this second and after, behind every fact before it. */
export function sortKeyOfSecond(second: number): SortKey {
  return `${sortable(BigInt(second))} `;
}

/** Seconds since the epoch: `whole` rounded down, and the digits of what is above it. */
export type ExactSeconds = { whole: bigint; fraction: string };

export function exactSeconds(text: string): ExactSeconds {
  const negative = text.startsWith('-');
  const [digits = '', decimals = ''] = (negative ? text.slice(1) : text).split('.');
  const whole = BigInt(digits);
  const fraction = withoutTrailingZeros(decimals);
  if (!negative) return { whole, fraction };
  if (fraction === '') return { whole: -whole, fraction };
  // Without trailing zeros the complement keeps its length: only the last digit is from ten.
  const head = complement(fraction.slice(0, -1));
  return { whole: -whole - 1n, fraction: `${head}${10 - Number(fraction.at(-1))}` };
}

export function isBefore(a: ExactSeconds, b: ExactSeconds): boolean {
  return a.whole === b.whole ? a.fraction < b.fraction : a.whole < b.whole;
}

/** Longer numbers sort behind shorter ones; below zero all of it is turned round. */
function sortable(whole: bigint): string {
  const digits = (whole < 0n ? -whole : whole).toString();
  const text = `${String(digits.length).padStart(5, '0')}${digits}`;
  return whole < 0n ? `0${complement(text)}` : `1${text}`;
}

function complement(digits: string): string {
  return digits.replace(/\d/g, (digit) => String(9 - Number(digit)));
}
