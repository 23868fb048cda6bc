import type { Db } from './any-connection.ts';

export type Attempts = { subject: string; failures: number; until: Date };

/**
 * Counts one for each, as if it were in vain, and says how many there are now. The time runs from
 * the first one, or from the first after a time that is over.
 */
export async function countAttempt(
  db: Db,
  subjects: readonly string[],
  at: Date,
  until: Date,
): Promise<Attempts[]> {
  const { rows } = await db.query<Attempts>(
    `insert into sign_in_failure as f (subject, failures, until)
     select subject, 1, $3 from unnest($1::text[]) as subject order by subject
     on conflict (subject) do update set
       failures = case when f.until > $2 then f.failures + 1 else 1 end,
       until = case when f.until > $2 then f.until else excluded.until end
     returning subject, failures, until`,
    [subjects, at, until],
  );
  await db.query(
    `delete from sign_in_failure where subject in
       (select subject from sign_in_failure where until <= $1 limit 100 for update skip locked)`,
    [at],
  );
  return rows;
}

/** One that was not in vain. */
export async function uncountAttempt(db: Db, subjects: readonly string[]): Promise<void> {
  await db.query(
    `with one_less as (
       update sign_in_failure set failures = failures - 1
       where subject = any($1::text[]) and failures > 1)
     delete from sign_in_failure where subject = any($1::text[]) and failures = 1`,
    [subjects],
  );
}

export async function forgetAttempts(db: Db, subject: string): Promise<void> {
  await db.query(`delete from sign_in_failure where subject = $1`, [subject]);
}
