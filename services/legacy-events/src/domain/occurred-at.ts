import { parseTimestamp } from '@tributary/contracts/rfc3339';

export type OccurredAt = {
  /** RFC 3339 with an offset. */
  text: string;
  seconds: string;
  epochMs: number;
  /** The text as sent, when it was not RFC 3339 already. */
  raw?: string;
};

/**
 * Reads a timestamp as old integrations write it (design 8, "Legacy"): RFC 3339, or the same with
 * a space for the `T`, without seconds, with `+0100` for `+01:00`, without an offset (which is
 * UTC), or only a date (which is its midnight in UTC).
 */
export function readOccurredAt(sent: string): OccurredAt | undefined {
  const strict = parseTimestamp(sent);
  if (strict) return { text: sent, ...strict };
  const match = tolerant.exec(sent.trim());
  if (!match) return undefined;
  const [, date, hourMinute = '00:00', second = ':00', offset = 'Z'] = match;
  const text = `${date}T${hourMinute}${second}${normalOffset(offset)}`;
  const instant = parseTimestamp(text);
  return instant && { text, ...instant, raw: sent };
}

const tolerant =
  /^(\d{4}-\d{2}-\d{2})(?:(?:[Tt]| +)(\d{2}:\d{2})(:\d{2}(?:\.\d+)?)? ?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

function normalOffset(offset: string): string {
  if (/^z$/i.test(offset)) return 'Z';
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0');
  return `${offset[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
