/**
 * When a delivery that was not accepted is tried again (design 8, "Webhook"). The first try is
 * immediate; the list holds the delay after try 1, 2, …. When it ends, or at the horizon, the
 * delivery is exhausted. All moments are of the database's clock, as milliseconds.
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

/**
 * Share of a delay by which it is shortened or lengthened, so that retries do not march in step.
 */
const jitter = 0.2;

/** A receiver may postpone its retries, but not past a day per attempt. */
const maxRetryAfterMs = 24 * hourMs;

export type Step =
  { state: 'pending'; step: number; dueAtMs: number } | { state: 'exhausted'; step: number };

/**
 * Where a failed attempt leaves its delivery. `random` is in [0, 1). Retry-After can only postpone:
 * a shorter one changes nothing. A try that would fall behind the horizon is made at it.
 *
 * A failed probe of an open breaker says something about the endpoint and next to nothing about the
 * delivery that happened to be sent: it uses up no place and stays due.
 */
export function stepAfterFailure(options: {
  /** Places used up before this attempt. */
  step: number;
  probe: boolean;
  nowMs: number;
  horizonAtMs: number;
  random: number;
  retryAfterMs?: number | undefined;
  delaysMs?: readonly number[];
}): Step {
  const { probe, nowMs, horizonAtMs, random, retryAfterMs = 0, delaysMs = retryDelaysMs } = options;
  const step = probe ? options.step : options.step + 1;
  const delayMs = probe ? 0 : delaysMs[options.step];
  if (delayMs === undefined || nowMs >= horizonAtMs) return { state: 'exhausted', step };
  const jittered = delayMs * (1 + jitter * (2 * random - 1));
  const waitMs = Math.round(Math.max(jittered, Math.min(retryAfterMs, maxRetryAfterMs)));
  return { state: 'pending', step, dueAtMs: Math.min(nowMs + waitMs, horizonAtMs) };
}
