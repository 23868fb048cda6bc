/**
 * When a delivery that was not accepted is tried again (design 8, "Webhook"). The first try is
 * immediate; the list holds the delay after try 1, 2, …. When it ends, the delivery is exhausted.
 * The horizon, counted from issue, is enforced where the due time is computed: by the database
 * clock, in record-results.ts.
 */
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

export const retryDelaysMs: readonly number[] = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  1 * hourMs,
  2 * hourMs,
  4 * hourMs,
  8 * hourMs,
  12 * hourMs,
  24 * hourMs,
  24 * hourMs,
];

/** Share of a delay by which it is shortened or lengthened, so that retries do not march in step. */
const jitter = 0.2;

/** A receiver may postpone its retries, but not past a day per attempt. */
const maxRetryAfterMs = 24 * hourMs;

/**
 * Delay until the next try, or undefined when there is none. `random` is in [0, 1).
 * Retry-After can only postpone: a shorter one changes nothing.
 */
export function nextDelayMs(options: {
  /** The attempt that just ended, 1, 2, …. */
  attempt: number;
  random: number;
  retryAfterMs?: number | undefined;
  delaysMs?: readonly number[];
}): number | undefined {
  const { attempt, random, retryAfterMs = 0, delaysMs = retryDelaysMs } = options;
  const delayMs = delaysMs[attempt - 1];
  if (delayMs === undefined) return undefined;
  const jittered = delayMs * (1 + jitter * (2 * random - 1));
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, maxRetryAfterMs)));
}
