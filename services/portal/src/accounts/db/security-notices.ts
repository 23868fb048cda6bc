import type { NoticeKind } from '../domain/mail-texts.ts';
import type { Db } from './any-connection.ts';

export type DueNotice = {
  noticeId: string;
  kind: NoticeKind;
  at: Date;
  attempts: number;
  /** Null: nobody is there any more who could be told. */
  email: string | null;
};

export async function insertNotice(
  db: Db,
  row: { noticeId: string; accountId: string; kind: NoticeKind; at: Date },
): Promise<void> {
  await db.query(
    `insert into security_notice (notice_id, account_id, kind, at, due_at)
     values ($1, $2, $3, $4, $4)`,
    [row.noticeId, row.accountId, row.kind, row.at],
  );
}

/** Takes those that are due, and puts them off: whoever dies with one leaves it to another one. */
export async function leaseNotices(
  db: Db,
  { at, until, limit }: { at: Date; until: Date; limit: number },
): Promise<DueNotice[]> {
  const { rows } = await db.query<DueNotice>(
    `with due as (
       select notice_id from security_notice where due_at <= $1
       order by due_at limit $3 for update skip locked)
     update security_notice n set due_at = $2, attempts = n.attempts + 1
     from due, account a
     where n.notice_id = due.notice_id and a.account_id = n.account_id
     returning n.notice_id as "noticeId", n.kind, n.at, n.attempts, a.email`,
    [at, until, limit],
  );
  return rows;
}

export async function postponeNotice(db: Db, noticeId: string, due: Date): Promise<void> {
  await db.query(`update security_notice set due_at = $2 where notice_id = $1`, [noticeId, due]);
}

export async function deleteNotice(db: Db, noticeId: string): Promise<void> {
  await db.query(`delete from security_notice where notice_id = $1`, [noticeId]);
}
