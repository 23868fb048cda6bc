import { setTimeout as delay } from 'node:timers/promises';

/**
 * Looks again and again until nothing is left; throws when the time of the whole attempt is over.
 */
export type Wait = (
  /** As in `waiting for …`. */
  what: string,
  /** What is left, in words. */
  look: () => Promise<string | undefined>,
) => Promise<void>;

/** It did not come about in time; nothing was changed, and it may be tried again. */
export class NotNow extends Error {
  readonly retryable = true;
  constructor(message: string) {
    super(message);
    this.name = 'NotNow';
  }
}

export function createWait({ limitMs, signal }: { limitMs: number; signal: AbortSignal }): Wait {
  const deadlineMs = performance.now() + limitMs;
  return async (what, look) => {
    for (;;) {
      signal.throwIfAborted();
      const left = await look();
      if (left === undefined) return;
      if (performance.now() > deadlineMs) throw new NotNow(`waited for ${what}: ${left}`);
      await delay(lookEveryMs, undefined, { signal });
    }
  };
}

const lookEveryMs = 25;
