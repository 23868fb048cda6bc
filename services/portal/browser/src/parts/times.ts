import { createStoredChoice } from './stored-choice.ts';

export const zones = ['utc', 'browser'] as const;
export type Zone = (typeof zones)[number];

/** The one switch that all times on all pages follow. Links carry instants, whatever it says. */
export const timeZone = createStoredChoice<Zone>('tributary-time-zone', zones, () => 'utc');

export function browserZoneName(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * An instant as `2026-11-27 06:43:05`, the same in every language and as sortable as it looks; the
 * year is written as it is in RFC 3339, 0000 too. What is no instant is given back as it is.
 */
export function formatInstant(instant: string, zone: Zone): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return instant;
  const parts =
    zone === 'utc'
      ? [
          [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()],
          [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()],
        ]
      : [
          [date.getFullYear(), date.getMonth() + 1, date.getDate()],
          [date.getHours(), date.getMinutes(), date.getSeconds()],
        ];
  const [day, time] = parts as [number[], number[]];
  const [year = 0, ...rest] = day;
  const shownDay = [String(year).padStart(4, '0'), ...rest.map(twoDigits)].join('-');
  return `${shownDay} ${time.map(twoDigits).join(':')}`;
}

/** With the milliseconds, where there are any: what was known then may differ by one of them. */
export function formatExactly(instant: string, zone: Zone): string {
  const date = new Date(instant);
  const milliseconds = date.getUTCMilliseconds();
  const isWhole = Number.isNaN(milliseconds) || milliseconds === 0;
  const shown = formatInstant(instant, zone);
  return isWhole ? shown : `${shown}.${String(milliseconds).padStart(3, '0')}`;
}

/**
 * The instant to the millisecond as in RFC 3339, with the offset of the zone: two that look the
 * same in the night in which clocks are put back differ in it.
 */
export function formatWithOffset(instant: string, zone: Zone): string {
  if (zone === 'utc') return instant;
  const date = new Date(instant);
  const offset = -date.getTimezoneOffset();
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const local = formatExactly(instant, zone).replace(' ', 'T');
  const told = `${local}${offset < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(minutes)}`;
  // Before zones had offsets of whole minutes there is no such text.
  return Date.parse(told) === date.getTime() ? told : instant;
}

/** What stands in an `<input type="datetime-local">` for an instant, and back: nothing is lost. */
export function toInput(instant: string | undefined, zone: Zone): string {
  return instant === undefined
    ? ''
    : formatExactly(instant, zone).replace(' ', 'T').replace(/:00$/, '');
}

export function fromInput(text: string, zone: Zone): string | undefined {
  if (text === '') return undefined;
  const date = new Date(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
