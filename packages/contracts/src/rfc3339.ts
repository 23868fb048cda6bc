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

const grammar = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Undefined when the text is no RFC 3339 date-time with an offset. Read by position, since the
 * grammar fixes all but the end of the fraction: every event is read here several times.
 */
export function parseTimestamp(text: string): Instant | undefined {
  if (!grammar.test(text)) return undefined;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  const isUtc = text.at(-1) === 'Z' || text.at(-1) === 'z';
  const zoneAt = text.length - (isUtc ? 1 : 6);
  const offsetHour = isUtc ? 0 : twoDigits(text, zoneAt + 1);
  const offsetMinute = isUtc ? 0 : twoDigits(text, zoneAt + 4);
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  if (offsetHour > 23 || offsetMinute > 59) return undefined;

  const offsetMinutes = (offsetHour * 60 + offsetMinute) * (text[zoneAt] === '-' ? -1 : 1);
  const minuteOfDayUtc = hour * 60 + minute - offsetMinutes;
  if (second === 60 && modulo(minuteOfDayUtc, 1440) !== 1439) return undefined;

  const wholeSeconds = daysSinceEpoch(year, month, day) * 86_400 + minuteOfDayUtc * 60 + second;
  // Behind the point; empty without one.
  const fraction = withoutTrailingZeros(text.slice(20, zoneAt));
  return {
    seconds: withFraction(wholeSeconds, fraction),
    epochMs: wholeSeconds * 1000 + (fraction === '' ? 0 : Number(`0.${fraction}`) * 1000),
  };
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 0x30) * 10 + (text.charCodeAt(at + 1) - 0x30);
}

/** `-2` and `25` is minus two seconds plus a quarter: `-1.75`. */
function withFraction(wholeSeconds: number, fraction: string): string {
  if (fraction === '') return String(wholeSeconds);
  if (wholeSeconds >= 0) return `${wholeSeconds}.${fraction}`;
  // Trailing zeros are gone, so the complement keeps its length: only the last digit is from ten.
  const head = fraction.slice(0, -1).replace(/\d/g, (digit) => String(9 - Number(digit)));
  const last = String(10 - Number(fraction.at(-1)));
  return `-${-(wholeSeconds + 1)}.${head}${last}`;
}

/** Days from 1970-01-01 in the proleptic Gregorian calendar. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const leapDays = Math.ceil(year / 4) - Math.ceil(year / 100) + Math.ceil(year / 400);
  const leapDay = month > 2 && isLeap(year) ? 1 : 0;
  return year * 365 + leapDays + daysBeforeMonth[month]! + leapDay + day - daysToEpoch;
}

/** In a year that is no leap year; months count from 1. */
const daysBeforeMonth = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
/** From the day before 0000-01-01. */
const daysToEpoch = 719_529;

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
