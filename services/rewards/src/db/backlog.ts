import type pg from 'pg';

export type Backlog = {
  due: number;
  owing: number;
  undecided: number;
  failing: number;
  review: number;
  waiting: number;
};

/**
 * Partial indexes answer each count, so its cost follows what is open and not all there ever was.
 */
export async function readBacklog(pool: pg.Pool): Promise<Backlog> {
  const { rows } = await pool.query<Record<keyof Backlog, string>>(
    `select
       (select count(*) from recipient where due_at <= now()) as due,
       (select count(*) from recipient where owing) as owing,
       (select count(*) from recipient where undecided_reason is not null) as undecided,
       (select count(*) from recipient where release_retry_at is not null) as failing,
       (select count(*) from entitlement
        where state = 'review' or (state = 'issued' and issued < entitled and action is null
          and json_array_length(reviews) > 0)) as review,
       (select count(*) from decision where status = 'waiting-for-revision') as waiting`,
  );
  const row = rows[0];
  return {
    due: Number(row?.due),
    owing: Number(row?.owing),
    undecided: Number(row?.undecided),
    failing: Number(row?.failing),
    review: Number(row?.review),
    waiting: Number(row?.waiting),
  };
}
