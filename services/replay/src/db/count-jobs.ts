import type pg from 'pg';

/** Jobs that wait or run. */
export async function countOpenJobs(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ open: string }>(
    `select count(*) as open from job where status in ('queued', 'running')`,
  );
  return Number(rows[0]?.open ?? 0);
}

/** Whether a recovery of a lost generation has failed within so long. */
export async function hasRecoveryFailed(pool: pg.Pool, withinMs: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from job
     where kind = 'rebuild' and params ->> 'recover' = 'true' and status = 'failed'
       and ended_at > now() - $1 * interval '1 millisecond' limit 1`,
    [withinMs],
  );
  return rowCount !== 0;
}
