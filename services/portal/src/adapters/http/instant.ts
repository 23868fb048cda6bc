import { Type } from '@sinclair/typebox';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import type { Violation } from '@tributary/contracts/violation';

/** A time in a request body: its shape here, its value by {@link judgeInstant}. */
export function instant() {
  return Type.String({ expected: 'an RFC 3339 date-time with an offset' });
}

export function judgeInstant(text: string, pointer: string): Violation[] {
  const epochMs = parseTimestamp(text)?.epochMs;
  if (epochMs === undefined) {
    const detail = 'must be an RFC 3339 date-time with an offset, such as 2026-03-01T12:00:00Z';
    return [{ pointer, code: 'INVALID_FORMAT', detail }];
  }
  if (epochMs >= firstInstantMs && epochMs <= lastInstantMs) return [];
  return [{ pointer, code: 'OUT_OF_RANGE', detail: 'must lie in the years 0 to 9999, in UTC' }];
}

const firstInstantMs = Date.parse('0000-01-01T00:00:00.000Z');
const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * UTC with milliseconds, rounded up: what was before the instant is before this millisecond too.
 */
export function toUtc(text: string): string {
  const epochMs = Math.ceil(parseTimestamp(text)?.epochMs ?? NaN);
  return new Date(Math.min(epochMs, lastInstantMs)).toISOString();
}
