import { setTimeout as delay } from 'node:timers/promises';
import { patience } from './patience.ts';

/**
 * Runs `attempt` until it does not throw and gives its result. At the deadline the last error is
 * thrown, with how long was waited, so that a failed test shows what was still missing. The
 * deadline is that of an idle machine (see patience.ts).
 */
export async function eventually<T>(
  attempt: () => Promise<T> | T,
  options: { deadlineMs?: number; everyMs?: number; factor?: number } = {},
): Promise<T> {
  const { deadlineMs = 10_000, everyMs = 50, factor = patience } = options;
  const waitMs = Math.ceil(deadlineMs * factor);
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() >= deadline) throw lateError(error, waitMs);
    }
    await delay(everyMs);
  }
}

/** The same error, so that chai's expected and actual stay on it. */
function lateError(error: unknown, waitedMs: number): unknown {
  if (error instanceof Error) error.message += ` (still so after ${waitedMs} ms)`;
  return error;
}
