import type { LimitPeriod } from '@tributary/contracts/campaign-rule';
import type { ExactSeconds } from './sort-key.ts';

/** Seconds since the epoch; from `start` on, before `end`. Undefined where there is no bound. */
export type Period = { start?: number; end?: number };

const daySeconds = 86_400;
/** 1970-01-01 was a Thursday; ISO weeks begin on Monday. */
const firstMonday = -3 * daySeconds;

/** The UTC day, ISO week or month that holds the second. */
export function periodOf(kind: LimitPeriod, second: number): Period {
  switch (kind) {
    case 'day': {
      const start = Math.floor(second / daySeconds) * daySeconds;
      return { start, end: start + daySeconds };
    }
    case 'week': {
      const week = 7 * daySeconds;
      const start = Math.floor((second - firstMonday) / week) * week + firstMonday;
      return { start, end: start + week };
    }
    case 'month': {
      const date = new Date(second * 1000);
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
      return { start: startOfMonth(year, month), end: startOfMonth(year, month + 1) };
    }
    case 'lifetime':
      return {};
    default:
      return kind satisfies never;
  }
}

/** In words: `2026-03`, `the week of 2026-03-02`. */
export function periodName(kind: LimitPeriod, second: number): string {
  const { start = 0 } = periodOf(kind, second);
  const day = new Date(start * 1000).toISOString().slice(0, -14);
  switch (kind) {
    case 'day':
      return `on ${day}`;
    case 'week':
      return `in the week from ${day}`;
    case 'month':
      return `in ${day.slice(0, -3)}`;
    case 'lifetime':
      return 'in all';
    default:
      return kind satisfies never;
  }
}

/**
 * The same moment so many calendar months later (UTC); a day that the month does not have becomes
 * its last one.
 */
export function monthsLater({ whole, fraction }: ExactSeconds, months: number): ExactSeconds {
  const second = Number(whole);
  const date = new Date(second * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const length = (startOfMonth(year, month + 1) - startOfMonth(year, month)) / daySeconds;
  const day = Math.min(date.getUTCDate(), length);
  const ofDay = second - Math.floor(second / daySeconds) * daySeconds;
  const later = startOfMonth(year, month) + (day - 1) * daySeconds + ofDay;
  return { whole: BigInt(later), fraction };
}

/** `Date.UTC` takes the years 0 to 99 for 1900 to 1999. */
function startOfMonth(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 1);
  return date.getTime() / 1000;
}
