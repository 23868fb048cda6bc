import type { Db } from './any-connection.ts';

/** Those whose time is over go with it. */
export async function insertSignInLink(
  db: Db,
  row: { digest: string; accountId: string; at: Date; expiresAt: Date },
): Promise<void> {
  await db.query(`delete from sign_in_link where expires_at <= $1`, [row.at]);
  await db.query(`insert into sign_in_link (digest, account_id, expires_at) values ($1, $2, $3)`, [
    row.digest,
    row.accountId,
    row.expiresAt,
  ]);
}

/** It holds once: whoever takes it has removed it. */
export async function takeSignInLink(
  db: Db,
  digest: string,
  at: Date,
): Promise<string | undefined> {
  const { rows } = await db.query<{ accountId: string }>(
    `delete from sign_in_link where digest = $1 and expires_at > $2
     returning account_id as "accountId"`,
    [digest, at],
  );
  return rows[0]?.accountId;
}
