/**
 * How long an answer asks to wait (RFC 9110 10.2.3): a number of seconds, or a date, which is taken
 * relative to the `Date` of the same answer, so that a wrong clock here does not matter.
 */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim();
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // Date.parse would make a year out of almost anything.
  if (!/^[A-Z][a-z]+, /.test(text)) return undefined;
  const until = Date.parse(text);
  const now = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(until)) return undefined;
  return Math.max(0, until - (Number.isNaN(now) ? Date.now() : now));
}
