/**
 * The database's time, without asking it: every process that shares the table means the same moment
 * by "now", whatever its own wall clock says. Fed by whoever had an answer of the database; between
 * answers the monotonic clock of this process goes on from there.
 */
export type DatabaseClock = {
  /** What the database said, and when (monotonic) the question left and the answer came. */
  observe(databaseNow: Date, sentMs: number, receivedMs: number): void;
  /** @throws before the first answer. */
  now(): Date;
  nowMs(): number;
};

/**
 * A tight reading is kept over loose ones, until it is this old: the clocks drift apart. Not over
 * one that it cannot be true beside: the monotonic clock stands still while a machine is suspended,
 * and the database may be another one now.
 */
const keepReadingMs = 60_000;

export function createDatabaseClock(
  monotonicMs: () => number = () => performance.now(),
): DatabaseClock {
  let reading: { offsetMs: number; looseMs: number; takenMs: number } | undefined;

  function nowMs(): number {
    if (!reading) throw new Error('the database has not said yet what time it is');
    return monotonicMs() + reading.offsetMs;
  }

  return {
    observe(databaseNow, sentMs, receivedMs) {
      const looseMs = receivedMs - sentMs;
      const offsetMs = databaseNow.getTime() - (sentMs + receivedMs) / 2;
      if (reading && looseMs > reading.looseMs && receivedMs - reading.takenMs < keepReadingMs) {
        const apartMs = Math.abs(offsetMs - reading.offsetMs);
        if (apartMs <= (looseMs + reading.looseMs) / 2) return;
      }
      reading = { offsetMs, looseMs, takenMs: receivedMs };
    },
    now: () => new Date(nowMs()),
    nowMs,
  };
}
