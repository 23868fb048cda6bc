import type { Tx } from '@tributary/runtime/postgres';

/**
 * Deletes some attempts older than so many days; says how many. Those that another process is
 * deleting are left to it.
 */
export async function deleteOldAttempts(
  tx: Tx,
  options: { days: number; limit: number },
): Promise<number> {
  // Its index has a line for each range of pages, which the planner takes for worse than reading
  // all of them; in a table with nothing to delete it is not.
  await tx.query('set local enable_seqscan = off');
  const { rowCount } = await tx.query(
    `delete from attempt where ctid = any(array(
       select ctid from attempt
       where started_at < now() - $1::int * interval '1 day'
       limit $2 for update skip locked
     ))`,
    [options.days, options.limit],
  );
  return rowCount ?? 0;
}
