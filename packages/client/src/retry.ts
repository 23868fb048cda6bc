import { errorOf } from './errors.ts';
import { type Failure, isRetryable, type Outcome } from './failure.ts';
import { retryAfterMs } from './retry-after.ts';
import { limitTime, pause, timeUp } from './time-limit.ts';

export type RetryLimits = {
  /** How often a call is tried at most. */
  maxAttempts: number;
  /** How long a call may take with all of its attempts and pauses. */
  deadlineMs: number;
};

/**
 * Tries until an attempt succeeds, fails for good, or the limits are reached; then the last failure
 * is thrown as an error. A pause is what the service asked for plus a random time up to a bound
 * that doubles each time ("full jitter"), so that callers who failed together do not return
 * together. A pause that would end after the deadline is not begun. The caller's abort is thrown as
 * it is.
 */
export async function withRetries<T>(
  call: {
    operation: string;
    limits: RetryLimits;
    signal: AbortSignal | undefined;
    idempotencyKey?: string | undefined;
  },
  tryOnce: (signal: AbortSignal) => Promise<Outcome<T>>,
): Promise<T> {
  const { operation, limits, signal, idempotencyKey } = call;
  const endMs = performance.now() + limits.deadlineMs;
  const time = limitTime(signal, limits.deadlineMs);
  let attempts = 0;
  let last: Failure | undefined;
  try {
    for (;;) {
      time.signal.throwIfAborted();
      attempts += 1;
      const outcome = await tryOnce(time.signal);
      if (outcome.ok) return outcome.value;
      last = outcome.failure;
      if (!isRetryable(last) || attempts >= limits.maxAttempts) break;
      const pauseMs = pauseBefore(attempts, last);
      if (performance.now() + pauseMs >= endMs) break;
      await pause(pauseMs, time.signal);
    }
  } catch (error) {
    if (error !== timeUp) throw error;
    last = { operation, kind: 'no-answer', timedOut: true, cause: causeOf(last) };
  } finally {
    time.release();
  }
  throw errorOf({ failure: last, attempts, idempotencyKey });

  /** When the time is up in a later attempt, what the one before met is still worth telling. */
  function causeOf(before: Failure | undefined): unknown {
    if (before === undefined) return timeUp;
    return errorOf({ failure: before, attempts, idempotencyKey });
  }
}

function pauseBefore(attempts: number, failure: Failure): number {
  const asked = failure.kind === 'answer' ? retryAfterMs(failure.answer.headers) : undefined;
  const boundMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
  return (asked ?? 0) + Math.random() * boundMs;
}

const firstPauseMs = 200;
const longestPauseMs = 10_000;
