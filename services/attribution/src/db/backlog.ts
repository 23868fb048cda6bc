import type pg from 'pg';

export type Backlog = { waiting: number; undecided: number; recomputeJobs: number };

/** Partial indexes answer the counts, so their cost follows what is open. */
export async function readBacklog(pool: pg.Pool): Promise<Backlog> {
  const { rows } = await pool.query<Record<keyof Backlog, string>>(
    `select
       (select count(*) from fact where outcome = 'waiting') as waiting,
       (select count(*) from fact where outcome = 'undecided') as undecided,
       (select count(*) from refold) as "recomputeJobs"`,
  );
  const row = rows[0];
  return {
    waiting: Number(row?.waiting),
    undecided: Number(row?.undecided),
    recomputeJobs: Number(row?.recomputeJobs),
  };
}
