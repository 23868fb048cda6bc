import { type Case, nameOf } from '../case.ts';
import { type Caller, validatedCase } from '../event-request.ts';
import { readDateTime } from '../oracle/date-time.ts';
import { type EventType, eventTypes } from '../oracle/event-rules.ts';
import { bodyOf, bodyWith } from '../valid-bodies.ts';
import { dateTimes, notDateTimes } from './date-times.ts';

export function mislabelledDateTimes(): string[] {
  return [
    ...dateTimes.filter((text) => readDateTime(text) === undefined),
    ...notDateTimes.filter((text) => readDateTime(text) !== undefined),
  ];
}

export function dateTimeCases(caller: Caller): Case[] {
  const all = [...dateTimes, ...notDateTimes].map((text) => occurring(text));
  const types = eventTypes.flatMap((type) =>
    ['2026-03-01t00:00:00-00:00', '2026-03-01T00:00:00', ''].map((text) => occurring(text, type)),
  );
  const sources = ['0', '1772323200', '1772323200000', 'null', 'true', '[]', '{}', '["2026"]'].map(
    (source) => validatedCase(caller, `occurredAt: ${source}`, bodyWith('occurredAt', source)),
  );
  return [...all, ...types, ...sources, ...aroundNow().map((text) => occurring(text))];

  function occurring(text: string, type: EventType = 'purchase-created'): Case {
    const name = `${type}, occurredAt: ${nameOf(text)}`;
    return validatedCase(caller, name, bodyOf('occurredAt', text, type), { type });
  }
}

const minute = 60_000;
const day = 24 * 60 * minute;

/** On both sides of where warnings begin (2.7 rules 1 and 2), a little off for the clocks. */
function aroundNow(): string[] {
  const distances = [
    0,
    4 * minute,
    6 * minute,
    day,
    365 * day,
    -89.9 * day,
    -90.1 * day,
    -89 * day,
  ];
  return distances.flatMap((distance) => {
    const utc = new Date(Date.now() + distance).toISOString();
    const east = new Date(Date.now() + distance + 14 * 60 * minute).toISOString();
    const west = new Date(Date.now() + distance - 12 * 60 * minute).toISOString();
    return [utc, east.replace('Z', '+14:00'), west.replace('Z', '-12:00')];
  });
}
