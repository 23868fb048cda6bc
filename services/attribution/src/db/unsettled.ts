import type { Tx } from '@tributary/runtime/postgres';

/** What attribution still has to do by itself, beside reading its topics. */
export type Unsettled = { recomputeJobs: number; retries: number; unsent: number };

/** Counted up to a few thousand each: whether there is little or nothing is all that is asked. */
export async function readUnsettled(tx: Pick<Tx, 'query'>): Promise<Unsettled> {
  const { rows } = await tx.query<Record<keyof Unsettled, string>>({
    name: 'read_unsettled',
    text: `select
             (select count(*) from (select from refold limit 5000) as few) as "recomputeJobs",
             (select count(*) from (select from fact
                where outcome = 'undecided' and retry_at <= now() limit 5000) as few) as retries,
             (select coalesce(sum(record_count), 0)
                from (select record_count from outbox limit 5000) as few) as unsent`,
  });
  const [row] = rows;
  return {
    recomputeJobs: Number(row?.recomputeJobs),
    retries: Number(row?.retries),
    unsent: Number(row?.unsent),
  };
}

export function isSettled({ recomputeJobs, retries, unsent }: Unsettled): boolean {
  return recomputeJobs + retries + unsent === 0;
}

/** Keeps the sweeper from trying these again until the transaction ends; those first due first. */
export async function holdUndecided(tx: Tx, limit: number): Promise<void> {
  await tx.query({
    name: 'hold_undecided',
    text: `select event_id from fact where outcome = 'undecided'
           order by retry_at limit $1 for share`,
    values: [limit],
  });
}
