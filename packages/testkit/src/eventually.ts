import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs `attempt` until it does not throw and gives its result. At the deadline the last error is
 * thrown, with how long was waited, so that a failed test shows what was still missing.
 */
export async function eventually<T>(
  attempt: () => Promise<T> | T,
  options: { deadlineMs?: number; everyMs?: number } = {},
): Promise<T> {
  const { deadlineMs = 10_000, everyMs = 50 } = options;
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() >= deadline) throw lateError(error, deadlineMs);
    }
    await delay(everyMs);
  }
}

/** The same error, so that chai's expected and actual stay on it. */
function lateError(error: unknown, deadlineMs: number): unknown {
  if (error instanceof Error) error.message += ` (still so after ${deadlineMs} ms)`;
  return error;
}
