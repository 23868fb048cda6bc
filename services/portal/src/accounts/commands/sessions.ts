import { randomBytes, randomUUID } from 'node:crypto';
import { inTransaction } from '@tributary/runtime/postgres';
import {
  countRecoveryCodes,
  emailKey,
  findAccount,
  isAsVerified,
  listMemberships,
  lockAccount,
  storePassword,
} from '../db/accounts.ts';
import {
  endSession,
  endSessions,
  insertSession,
  listSessions,
  removeEndedSessions,
  sessionConfirmed,
} from '../db/sessions.ts';
import type { Session } from '../domain/caller.ts';
import { after, before, confirmedMs, sessionIdleMs, sessionMs } from '../domain/durations.ts';
import { hashPassword } from './passwords.ts';
import type { Office } from './office.ts';
import { type Credentials, type Verified, verifyCredentials } from './verify-credentials.ts';

export type From = {
  address: string;
  /** What the address is counted with. */
  network: string;
  userAgent: string;
};
type NotVerified = Exclude<Verified, { outcome: 'right' }>;

/** `secret` is what the cookie holds; it is known nowhere else afterwards. */
export async function signIn(
  office: Office,
  { email, ...credentials }: Credentials & { email: string },
  { network, ...from }: From,
): Promise<{ outcome: 'signed-in'; secret: string; session: Session } | NotVerified> {
  const { pool, clock, digest } = office;
  const account = await findAccount(pool, email);
  const about = { name: emailKey(email), network, withCode: true };
  const verified = await verifyCredentials(office, account, credentials, about);
  if (verified.outcome !== 'right') return verified;
  const { accountId } = verified.account;
  const secret = randomBytes(32).toString('base64url');
  const sessionId = randomUUID();
  const at = clock.now();
  const isOpen = await inTransaction(pool, async (tx) => {
    if (!isAsVerified(await lockAccount(tx, accountId), verified.account)) return false;
    await removeEndedSessions(tx, accountId, before(at, sessionMs));
    const row = { sessionId, accountId, digest: digest(sessionText(secret)), at };
    await insertSession(tx, { ...row, ...from });
    return true;
  });
  if (!isOpen) return { outcome: 'wrong' };
  const session = describeSession(office, secret, {
    ...{ sessionId, accountId, createdAt: at, lastSeenAt: at, confirmedAt: at },
  });
  return { outcome: 'signed-in', secret, session };
}

export function sessionText(secret: string): string {
  return `session:${secret}`;
}

export function describeSession(
  { digest }: Pick<Office, 'digest'>,
  secret: string,
  row: {
    sessionId: string;
    accountId: string;
    createdAt: Date;
    lastSeenAt: Date;
    confirmedAt: Date;
  },
): Session {
  const { sessionId, accountId, confirmedAt } = row;
  return {
    sessionId,
    accountId,
    csrfToken: digest(`csrf:${secret}`),
    expiresAt: expiryOf(row),
    confirmedUntil: after(confirmedAt, confirmedMs),
  };
}

function expiryOf({ createdAt, lastSeenAt }: { createdAt: Date; lastSeenAt: Date }): Date {
  const [end, idle] = [after(createdAt, sessionMs), after(lastSeenAt, sessionIdleMs)];
  return end < idle ? end : idle;
}

/** Undefined when it was forgotten meanwhile. */
export async function describeAccount({ pool, clock }: Office, session: Session) {
  return inTransaction(pool, async (tx) => {
    const account = await lockAccount(tx, session.accountId);
    if (account === undefined) return undefined;
    const { accountId, email, name, isOperator, totpSince } = account;
    const { sessionId, csrfToken, expiresAt, confirmedUntil } = session;
    return {
      ...{ sessionId, accountId, email, name, csrfToken, expiresAt, isOperator },
      confirmedUntil: confirmedUntil > clock.now() ? confirmedUntil : null,
      secondFactor: totpSince !== null,
      recoveryCodesLeft: await countRecoveryCodes(tx, accountId),
      memberships: await listMemberships(tx, accountId),
    };
  });
}

export async function confirmSession(
  office: Office,
  session: Session,
  credentials: Credentials,
  network: string,
): Promise<Verified> {
  const verified = await verifyOwn(office, session, credentials, { network, withCode: true });
  if (verified.outcome !== 'right') return verified;
  return inTransaction(office.pool, async (tx): Promise<Verified> => {
    const present = await lockAccount(tx, session.accountId);
    if (!isAsVerified(present, verified.account)) return { outcome: 'wrong' };
    await sessionConfirmed(tx, session.sessionId, office.clock.now());
    return verified;
  });
}

/** Ends every other session of the account. */
export async function changePassword(
  office: Office,
  session: Session,
  { password, newPassword }: { password: string; newPassword: string },
  network: string,
): Promise<{ outcome: 'changed'; ended: number } | NotVerified> {
  const about = { network, withCode: false };
  const verified = await verifyOwn(office, session, { password }, about);
  if (verified.outcome !== 'right') return verified;
  const { accountId, sessionId } = session;
  const hash = await hashPassword(newPassword);
  const ended = await inTransaction(office.pool, async (tx) => {
    const present = await lockAccount(tx, accountId);
    if (!isAsVerified(present, verified.account)) return undefined;
    await storePassword(tx, accountId, hash);
    return endSessions(tx, accountId, sessionId);
  });
  return ended === undefined ? { outcome: 'wrong' } : { outcome: 'changed', ended };
}

async function verifyOwn(
  office: Office,
  { accountId }: Session,
  credentials: Credentials,
  about: { network: string; withCode: boolean },
): Promise<Verified> {
  const account = await inTransaction(office.pool, (tx) => lockAccount(tx, accountId));
  return verifyCredentials(office, account, credentials, { ...about, name: accountId });
}

export async function describeSessions({ pool, clock }: Office, session: Session) {
  const rows = await listSessions(pool, session.accountId, openSince(clock.now()));
  return rows.map(({ accountId: _a, confirmedAt: _c, ...row }) => ({
    ...row,
    isThis: row.sessionId === session.sessionId,
    expiresAt: expiryOf(row),
  }));
}

/** Where a session that is open now was opened, and was seen, at the earliest. */
export function openSince(now: Date): { created: Date; seen: Date } {
  return { created: before(now, sessionMs), seen: before(now, sessionIdleMs) };
}

/** How many. */
export async function endOwnSessions(
  { pool }: Office,
  { accountId }: Session,
  sessionId?: string,
): Promise<number> {
  return sessionId === undefined
    ? endSessions(pool, accountId)
    : endSession(pool, accountId, sessionId);
}
