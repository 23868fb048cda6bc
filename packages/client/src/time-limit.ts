/**
 * A signal that aborts when `parent` does, with the same reason, or with `timeUp` after `limitMs`.
 * By hand, since AbortSignal.any keeps a timer of its own alive and is not in every Node 20.
 * `release` lets go of parent and timer.
 */
export function limitTime(
  parent: AbortSignal | undefined,
  limitMs: number,
): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const follow = () => controller.abort(parent?.reason);
  const timer = setTimeout(() => controller.abort(timeUp), Math.min(limitMs, longestTimerMs));
  if (parent?.aborted) follow();
  else parent?.addEventListener('abort', follow);
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      parent?.removeEventListener('abort', follow);
    },
  };
}

/** The reason of a signal whose time was up; the caller's own reasons are passed on untouched. */
export const timeUp = new Error('the time was up');

/** Beyond this a timer fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Waits for a promise as long as the signal lets it. The promise itself goes on. */
export async function waitFor<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, longestTimerMs));
  });
  try {
    await waitFor(over, signal);
  } finally {
    clearTimeout(timer);
  }
}
