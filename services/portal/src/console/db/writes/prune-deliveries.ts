import type { Tx } from '@tributary/runtime/postgres';
import { timeKeyDaysAgo } from './time-key-days-ago.ts';

const before = timeKeyDaysAgo('$1');

/**
 * Deletes some attempts that failed before their webhook was delivered, once that is so many days
 * ago; says how many. The attempt that delivered it stays: an explanation ends with it. Whatever
 * was not delivered after that keeps its attempts, as a resend that was given up.
 */
export async function pruneDeliveries(
  tx: Tx,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'prune_deliveries',
    text: `delete from delivery where (webhook_event_id, attempt) in (
             select webhook_event_id, attempt from delivery as failed
             where outcome <> 'delivered' and started_at < ${before} and exists (
               select from delivery as done
               where done.webhook_event_id = failed.webhook_event_id
                 and done.outcome = 'delivered' and done.attempt > failed.attempt
                 and done.started_at < ${before})
             order by webhook_event_id, attempt
             limit $2 for update of failed skip locked
           )`,
    values: [days, limit],
  });
  return rowCount ?? 0;
}
