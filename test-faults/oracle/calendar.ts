import type { LimitPeriod } from '@tributary/contracts/campaign-rule';
import { by, floor, minus, plus, times, whole, type Rational } from './rational.ts';

// The proleptic Gregorian calendar in UTC, by counting. Instants are exact seconds since the epoch.

const daySeconds = whole(86_400);

/** Which day, ISO week (Monday), month or lifetime an instant is in. */
export function periodOf(period: LimitPeriod, seconds: Rational): string {
  const day = Number(floor(by(seconds, daySeconds)));
  switch (period) {
    case 'day':
      return `day ${day}`;
    case 'week':
      // 1970-01-01 was a Thursday: the Monday of its week is day -3.
      return `week ${Math.floor((day + 3) / 7)}`;
    case 'month': {
      const date = dateOf(day);
      return `month ${date.year}-${date.month}`;
    }
    case 'lifetime':
      return 'lifetime';
    default:
      return period satisfies never;
  }
}

/**
 * The same time of day so many months later; the last day of the month where there is no such day.
 */
export function addMonths(seconds: Rational, months: number): Rational {
  const day = Number(floor(by(seconds, daySeconds)));
  const timeOfDay = minus(seconds, times(whole(day), daySeconds));
  const date = dateOf(day);
  const month = date.year * 12 + (date.month - 1) + months;
  const to = { year: Math.floor(month / 12), month: (((month % 12) + 12) % 12) + 1 };
  const dayOfMonth = Math.min(date.day, daysOf(to.year, to.month));
  return plus(times(whole(dayNumber({ ...to, day: dayOfMonth })), daySeconds), timeOfDay);
}

export type CalendarDate = { year: number; month: number; day: number };

/** Days since 1970-01-01. */
export function dayNumber({ year, month, day }: CalendarDate): number {
  let days = 0;
  for (let y = 1970; y < year; y++) days += daysOfYear(y);
  for (let y = 1969; y >= year; y--) days -= daysOfYear(y);
  for (let m = 1; m < month; m++) days += daysOf(year, m);
  return days + day - 1;
}

export function dateOf(dayNumberSinceEpoch: number): CalendarDate {
  let [year, rest] = [1970, dayNumberSinceEpoch];
  while (rest < 0) rest += daysOfYear(--year);
  while (rest >= daysOfYear(year)) rest -= daysOfYear(year++);
  let month = 1;
  while (rest >= daysOf(year, month)) rest -= daysOf(year, month++);
  return { year, month, day: rest + 1 };
}

function daysOfYear(year: number): number {
  return isLeap(year) ? 366 : 365;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
