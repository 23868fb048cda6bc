import type { Tx } from '@tributary/runtime/postgres';

/** What rewards still has to do by itself, beside reading its topics. */
export type Unsettled = {
  /** Decisions whose revision has not been read yet. */
  waiting: number;
  /** Recipients whose fold threw and is tried again now. */
  retries: number;
  /** Records of rewards that are not on the log yet. */
  unsent: number;
};

/** Counted up to a few thousand each: whether there is little or nothing is all that is asked. */
export async function readUnsettled(tx: Pick<Tx, 'query'>): Promise<Unsettled> {
  const { rows } = await tx.query<Record<keyof Unsettled, string>>({
    name: 'read_unsettled',
    text: `select
             (select count(*) from (select from decision
                where status = 'waiting-for-revision' limit 5000) as few) as waiting,
             (select count(*) from (select from recipient
                where undecided_reason is not null and retry_at <= now() limit 5000) as few)
               as retries,
             (select coalesce(sum(record_count), 0)
                from (select record_count from outbox limit 5000) as few) as unsent`,
  });
  const [row] = rows;
  return {
    waiting: Number(row?.waiting),
    retries: Number(row?.retries),
    unsent: Number(row?.unsent),
  };
}

/** Facts about rewards, of all generations, that are not on the log yet. */
export async function countUnsentIssuances(tx: Pick<Tx, 'query'>): Promise<number> {
  const { rows } = await tx.query<{ count: string }>({
    name: 'count_unsent_issuances',
    text: `select coalesce(sum(record_count), 0) as count
           from (select record_count from issuance_outbox limit 5000) as few`,
  });
  return Number(rows[0]?.count);
}

/**
 * Keeps every generation from issuing, and operators from saying anything, until the transaction
 * ends; what is under way is waited for. A lock of the table and not of its row: those who hold the
 * row do so for share, one upon the other, and might keep a lock of the row waiting for ever.
 */
export async function holdReleases(tx: Tx): Promise<void> {
  await tx.query('lock table live_generation in exclusive mode');
}
