import type { Db } from './any-connection.ts';

/** True once. Those whose time is over go with it. */
export async function useChallenge(
  db: Db,
  digest: string,
  { at, until }: { at: Date; until: Date },
): Promise<boolean> {
  await db.query(
    `delete from used_challenge where digest in
       (select digest from used_challenge where until <= $1 limit 100 for update skip locked)`,
    [at],
  );
  const { rowCount } = await db.query(
    `insert into used_challenge (digest, until) values ($1, $2) on conflict do nothing`,
    [digest, until],
  );
  return rowCount === 1;
}
