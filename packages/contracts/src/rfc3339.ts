import { withoutTrailingZeros } from './trailing-zeros.ts';

/**
 * Timestamps of the contract (interface 2.2): RFC 3339 date-time with an explicit offset. What is
 * valid is decided by the grammar and the calendar alone, never by plausibility: year 0000,
 * offsets to ±23:59, `-00:00`, lower-case `t` and `z`, any fraction, and second 60 where a leap
 * second can be, at 23:59:60 UTC (design 8, "Timestamps").
 */
export type Instant = {
  /** Exact decimal seconds since the epoch; a leap second counts as the second after it. */
  seconds: string;
  /** The same in milliseconds, as near as a number comes. */
  epochMs: number;
};

const grammar =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Undefined when the text is no RFC 3339 date-time with an offset. */
export function parseTimestamp(text: string): Instant | undefined {
  const match = grammar.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as Numbers;
  const offsetHour = Number(match[9] ?? 0);
  const offsetMinute = Number(match[10] ?? 0);
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  if (offsetHour > 23 || offsetMinute > 59) return undefined;

  const offsetMinutes = (offsetHour * 60 + offsetMinute) * (match[8] === '-' ? -1 : 1);
  const minuteOfDayUtc = hour * 60 + minute - offsetMinutes;
  if (second === 60 && modulo(minuteOfDayUtc, 1440) !== 1439) return undefined;

  const wholeSeconds = daysSinceEpoch(year, month, day) * 86_400 + minuteOfDayUtc * 60 + second;
  const fraction = withoutTrailingZeros(match[7] ?? '');
  return {
    seconds: withFraction(wholeSeconds, fraction),
    epochMs: wholeSeconds * 1000 + Number(`0.${fraction || '0'}`) * 1000,
  };
}

type Numbers = [number, number, number, number, number, number];

/** `-2` and `25` is minus two seconds plus a quarter: `-1.75`. */
function withFraction(wholeSeconds: number, fraction: string): string {
  if (fraction === '') return String(wholeSeconds);
  if (wholeSeconds >= 0) return `${wholeSeconds}.${fraction}`;
  // Trailing zeros are gone, so the complement keeps its length: only the last digit is from ten.
  const head = fraction.slice(0, -1).replace(/\d/g, (digit) => String(9 - Number(digit)));
  const last = String(10 - Number(fraction.at(-1)));
  return `-${-(wholeSeconds + 1)}.${head}${last}`;
}

/** Days from 1970-01-01 in the proleptic Gregorian calendar (`Date.UTC` misreads years below 100). */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / 86_400_000;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
