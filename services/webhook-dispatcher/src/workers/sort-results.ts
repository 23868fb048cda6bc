import { type RoomFreed, roomFreedBy } from '../db/endpoint-room.ts';
import type { LockedDelivery } from '../db/record-results.ts';
import type { AttemptResult } from './result-writer.ts';

export type Sorted = {
  /** To be written: the row is as it was claimed. */
  ours: AttemptResult[];
  /** Results of claims that others took over, who do not know of them yet. */
  lost: AttemptResult[];
  freed: RoomFreed[];
};

/** What there is to write, and the room that our claims free. */
export function sortOut(
  results: readonly AttemptResult[],
  locked: readonly LockedDelivery[],
): Sorted {
  const rowOf = new Map(locked.map((row) => [row.webhookEventId, row]));
  const ours: AttemptResult[] = [];
  const others: AttemptResult[] = [];
  const ended: { tenantId: string; retry: boolean }[] = [];
  for (const result of results) {
    const { webhookEventId, workerId, round, attempt, tenantId } = result.claim;
    const row = rowOf.get(webhookEventId);
    // The same worker may hold it anew, in a round that somebody asked for meanwhile.
    const isAsClaimed = row?.round === round && row.attempts === attempt - 1;
    if (row?.claimedBy === workerId && isAsClaimed) {
      ours.push(result);
      ended.push({ tenantId, retry: row.retry });
      const { state } = result.end;
      // Two results of one delivery in a batch: only one of them has the claim.
      rowOf.set(webhookEventId, { ...row, state, claimedBy: null, attempts: attempt });
    } else {
      others.push(result);
    }
  }
  const lost = others.filter((result) => isLost(result, rowOf.get(result.claim.webhookEventId)));
  return { ours, lost, freed: roomFreedBy(ended) };
}

/** Not when the projection has brought the row there already: then there is nothing to tell it. */
function isLost({ claim, end }: AttemptResult, row: LockedDelivery | undefined): boolean {
  if (!row) return true;
  if (row.state === 'delivered') return false;
  return row.attempts < claim.attempt || end.state === 'delivered';
}
