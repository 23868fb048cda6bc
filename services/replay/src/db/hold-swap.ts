import type { Tx } from '@tributary/runtime/postgres';

/**
 * One swap at a time, until its transaction ends; false: another one is under way. Locks are waited
 * for as long as `lockLimitMs`.
 */
export async function holdSwap(tx: Tx, lockLimitMs: number): Promise<boolean> {
  await tx.query(`set local lock_timeout = ${lockLimitMs}`);
  const { rows } = await tx.query<{ free: boolean }>(
    `select pg_try_advisory_xact_lock(hashtext('tributary swap')) as free`,
  );
  return rows[0]?.free === true;
}
