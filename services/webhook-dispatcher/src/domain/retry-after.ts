/**
 * `Retry-After` as milliseconds from `nowMs`: whole seconds or an HTTP date (RFC 9110, 10.2.3).
 * Anything else is as if the header were absent.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim();
  if (text === undefined) return undefined;
  if (/^[0-9]+$/.test(text)) return Math.min(Number(text), longestSeconds) * 1_000;
  if (!httpDate.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** A year: a number with hundreds of digits is no date any more. */
const longestSeconds = 31_536_000;

/** The one form that senders may generate; the two obsolete ones are not worth their parser. */
const httpDate = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;
