import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from './queryable.ts';
import { findSeen } from './find-seen.ts';

/**
 * Whether the projection has an event already. A repeat needs no further record then; one that is
 * appended again is harmless. So a database that is slow or away counts as no, and while it is away
 * few requests wait for it: a webhook must be answered all the same.
 */
export function createWasSeen({
  pool,
  patienceMs = 250,
  mostWaiting = 64,
}: {
  pool: Queryable;
  patienceMs?: number;
  /** Questions that the database has not answered yet, the given up ones too. */
  mostWaiting?: number;
}): (event: { connectionId: string; processorEventId: string }) => Promise<boolean> {
  let waiting = 0;

  return async (event) => {
    if (waiting >= mostWaiting) return false;
    waiting += 1;
    const patience = new AbortController();
    const asked = findSeen(pool, event)
      .catch(() => false)
      .finally(() => (waiting -= 1));
    const tooLate = delay(patienceMs, false, { signal: patience.signal }).catch(() => false);
    try {
      return await Promise.race([asked, tooLate]);
    } finally {
      patience.abort();
    }
  };
}
