import type { Tx } from '@tributary/runtime/postgres';

/**
 * How often folds of those who are undecided have thrown, as this transaction sees it: a recipient
 * that was undecided before and fails again counts once more.
 */
export async function countFailedFolds(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ count: string }>(
    `select coalesce(sum(undecided_attempts), 0) as count from recipient
     where undecided_reason is not null`,
  );
  return Number(rows[0]?.count ?? 0);
}
