import type { Tx } from '@tributary/runtime/postgres';

/** How many of these decisions wait for the campaign revision that they name. */
export async function countWaiting(tx: Tx, decisionIds: readonly string[]): Promise<number> {
  const { rows } = await tx.query<{ count: string }>(
    `select count(*) as count from decision
     where decision_id = any($1) and status = 'waiting-for-revision'`,
    [decisionIds],
  );
  return Number(rows[0]?.count ?? 0);
}
