import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks again until there is an answer.
 *
 * @throws at the deadline, with what stood in the way last; at once when `signal` ends it.
 */
export async function until<T>(
  what: string,
  waiting: { deadlineMs: number; everyMs?: number; signal?: AbortSignal | undefined },
  ask: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const { deadlineMs, everyMs = 500, signal } = waiting;
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    signal?.throwIfAborted();
    let obstacle: unknown;
    const asked = new Promise<T | undefined | false>((resolve) => resolve(ask()));
    const found = await asked.catch((error: unknown) => {
      obstacle = error;
      return undefined;
    });
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) {
      const why = obstacle instanceof Error ? ` (${obstacle.message})` : '';
      throw new Error(`not within ${deadlineMs / 1_000} s: ${what}${why}`, { cause: obstacle });
    }
    await delay(everyMs, undefined, { signal });
  }
}
