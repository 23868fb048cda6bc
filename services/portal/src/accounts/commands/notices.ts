import { randomUUID } from 'node:crypto';
import {
  deleteNotice,
  insertNotice,
  leaseNotices,
  postponeNotice,
} from '../db/security-notices.ts';
import type { Db } from '../db/any-connection.ts';
import { after, noticeLeaseMs, noticeMs } from '../domain/durations.ts';
import { type NoticeKind, noticeMail } from '../domain/mail-texts.ts';
import type { Office } from './office.ts';

/**
 * Has somebody told of a change to how they sign in: in the transaction of the change, so that
 * there is no change without a mail. Nobody is told where no mail server is set.
 */
export async function notify(
  db: Db,
  { mailer, clock }: Pick<Office, 'mailer' | 'clock'>,
  accountId: string,
  kind: NoticeKind,
): Promise<void> {
  if (mailer === null) return;
  await insertNotice(db, { noticeId: randomUUID(), accountId, kind, at: clock.now() });
}

/**
 * Sends what is due, and says how many there were. Each at least once: a process that dies behind
 * the mail server's answer leaves it to be sent again. No mail is tried for ever.
 */
export async function sendNotices(office: Office): Promise<number> {
  const { pool, clock, mailer, publicUrl } = office;
  if (mailer === null) return 0;
  const at = clock.now();
  const due = await leaseNotices(pool, { at, until: after(at, noticeLeaseMs), limit: 10 });
  for (const { noticeId, kind, at: changedAt, attempts, email } of due) {
    const isOver = email === null || after(changedAt, noticeMs) <= at;
    const isDone = isOver || (await mailer.send(email, noticeMail(kind, changedAt, publicUrl)));
    if (isDone) await deleteNotice(pool, noticeId);
    else await postponeNotice(pool, noticeId, after(clock.now(), pauseMs(attempts)));
  }
  return due.length;
}

/** From five seconds to an hour. */
function pauseMs(attempts: number): number {
  return Math.min(5_000 * 2 ** Math.min(attempts - 1, 20), 3_600_000);
}
