import { errorOf } from './errors.ts';
import { limitTime, pause, timeUp } from './time-limit.ts';
import type { EventWithDecision } from './wire-types.ts';

/**
 * Asks until the event is decided. It fails like a call without an answer when the time is up, also
 * for an event that nobody knows: one that was accepted a moment ago looks the same.
 */
export async function waitForDecision(
  ask: (left: {
    signal: AbortSignal;
    deadlineMs: number;
  }) => Promise<EventWithDecision | undefined>,
  { deadlineMs, signal }: { deadlineMs: number; signal: AbortSignal | undefined },
): Promise<EventWithDecision> {
  const endMs = performance.now() + deadlineMs;
  const time = limitTime(signal, deadlineMs);
  let attempts = 0;
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      attempts += 1;
      const event = await ask({ signal: time.signal, deadlineMs: endMs - performance.now() });
      if (event !== undefined && !open.has(event.outcome)) return event;
      await pause(pauseMs, time.signal);
    }
  } catch (error) {
    if (error !== timeUp) throw error;
    const cause = new Error('the event was not decided in time', { cause: error });
    const operation = 'GET /api/events/{eventId}';
    const failure = { operation, kind: 'no-answer', timedOut: true, cause } as const;
    throw errorOf({ failure, attempts, idempotencyKey: undefined });
  } finally {
    time.release();
  }
}

/** Undecided: deciding failed, and is tried again. */
const open: ReadonlySet<string> = new Set(['pending', 'undecided']);

const firstPauseMs = 100;
const longestPauseMs = 2_000;
