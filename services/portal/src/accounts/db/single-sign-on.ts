import type { Db } from './any-connection.ts';

export type Subject = { issuer: string; subject: string };

/** Until the transaction ends nobody else signs on as this one. */
export async function lockSubject(db: Db, { issuer, subject }: Subject): Promise<void> {
  const key = `single-sign-on:${issuer}:${subject}`;
  await db.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [key]);
}

export async function findSubject(
  db: Db,
  { issuer, subject }: Subject,
): Promise<string | undefined> {
  const { rows } = await db.query<{ accountId: string }>(
    `select account_id as "accountId" from single_sign_on where issuer = $1 and subject = $2`,
    [issuer, subject],
  );
  return rows[0]?.accountId;
}

export async function linkSubject(
  db: Db,
  { issuer, subject }: Subject,
  row: { accountId: string; at: Date },
): Promise<void> {
  await db.query(
    `insert into single_sign_on (issuer, subject, account_id, linked_at) values ($1, $2, $3, $4)`,
    [issuer, subject, row.accountId, row.at],
  );
}
