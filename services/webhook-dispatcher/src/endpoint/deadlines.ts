/** Something that has to be over in time. */
export type Timed = { expire(): void };

/**
 * One timer for any number of exchanges that all have the same timeout: they end in the order in
 * which they began, so only the oldest needs one. Nothing expires before its time; a busy event
 * loop makes it late, as it makes a timer.
 */
export function createDeadlines(timeoutMs: number): {
  add(timed: Timed): void;
  remove(timed: Timed): void;
} {
  /** In the order of their deadlines (monotonic), the oldest first. */
  const open = new Map<Timed, number>();
  let timer: NodeJS.Timeout | undefined;

  function expireWhatIsDue(): void {
    timer = undefined;
    const nowMs = performance.now();
    for (const [timed, deadlineMs] of open) {
      if (deadlineMs > nowMs) {
        timer = setTimeout(expireWhatIsDue, Math.ceil(deadlineMs - nowMs));
        return;
      }
      open.delete(timed);
      timed.expire();
    }
  }

  return {
    add(timed) {
      open.set(timed, performance.now() + timeoutMs);
      timer ??= setTimeout(expireWhatIsDue, timeoutMs);
    },
    remove(timed) {
      open.delete(timed);
      if (open.size > 0 || timer === undefined) return;
      // It would do no harm, but a process must not wait for it to end.
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
