import { randomBytes, randomUUID } from 'node:crypto';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
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
import { uncountAttempt } from '../db/sign-in-failures.ts';
import type { Session } from '../domain/caller.ts';
import { after, before, confirmedMs, sessionIdleMs, sessionMs } from '../domain/durations.ts';
import { beginAttempt } from './attempts.ts';
import { notify } from './notices.ts';
import type { Office } from './office.ts';
import { type PasskeyAnswer, takePasskey, verifyPasskey } from './passkeys.ts';
import { hashPassword } from './passwords.ts';
import { type Credentials, type Verified, verifyCredentials } from './verify-credentials.ts';

export type From = {
  address: string;
  /** What the address is counted with. */
  network: string;
  userAgent: string;
};
export type NotVerified = Exclude<Verified, { outcome: 'right' }>;

/** `secret` is what the cookie holds; it is known nowhere else afterwards. */
export type SignedIn = { outcome: 'signed-in'; secret: string; session: Session };

export async function signIn(
  office: Office,
  { email, ...credentials }: Credentials & { email: string },
  from: From,
): Promise<SignedIn | NotVerified> {
  const account = await findAccount(office.pool, email);
  const about = { name: emailKey(email), network: from.network, withCode: true };
  const verified = await verifyCredentials(office, account, credentials, about);
  if (verified.outcome !== 'right') return verified;
  const { accountId } = verified.account;
  return inTransaction(office.pool, async (tx): Promise<SignedIn | NotVerified> => {
    const present = await lockAccount(tx, accountId);
    if (!isAsVerified(present, verified.account)) return { outcome: 'wrong' };
    return openSession(tx, office, accountId, from);
  });
}

/** Instead of a password and a code: a passkey is both. */
export async function signInByPasskey(
  office: Office,
  answer: PasskeyAnswer,
  from: From,
): Promise<SignedIn | NotVerified> {
  const { subjects, tooMany } = await beginAttempt(office, { network: from.network });
  if (tooMany) return tooMany;
  const use = await verifyPasskey(office, answer);
  if (use === undefined) return { outcome: 'wrong' };
  const { accountId } = use.passkey;
  const signedIn = await inTransaction(office.pool, async (tx) => {
    const isThere = (await lockAccount(tx, accountId)) !== undefined;
    if (!isThere || !(await takePasskey(tx, office, use))) return undefined;
    return openSession(tx, office, accountId, from);
  });
  if (signedIn === undefined) return { outcome: 'wrong' };
  await uncountAttempt(office.pool, [subjects.address]);
  return signedIn;
}

/** For an account that is locked. `confirmedAt`: when its owner proved last who they are. */
export async function openSession(
  tx: Tx,
  office: Office,
  accountId: string,
  { address, userAgent, confirmedAt }: Omit<From, 'network'> & { confirmedAt?: Date },
): Promise<SignedIn> {
  const secret = randomBytes(32).toString('base64url');
  const at = office.clock.now();
  const row = { sessionId: randomUUID(), accountId, confirmedAt: confirmedAt ?? at };
  await removeEndedSessions(tx, accountId, before(at, sessionMs));
  const digest = office.digest(sessionText(secret));
  await insertSession(tx, { ...row, address, userAgent, digest, at });
  const session = describeSession(office, secret, { ...row, createdAt: at, lastSeenAt: at });
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
    const { accountId, email, name, isOperator, totpSince, passkeys } = account;
    const { sessionId, csrfToken, expiresAt, confirmedUntil } = session;
    return {
      ...{ sessionId, accountId, email, name, csrfToken, expiresAt, isOperator },
      confirmedUntil: confirmedUntil > clock.now() ? confirmedUntil : null,
      hasPassword: account.passwordHash !== null,
      secondFactor: totpSince !== null,
      passkeys,
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

/** By a passkey of their own, which is a password and a code at once. */
export async function confirmByPasskey(
  office: Office,
  { accountId, sessionId }: Session,
  answer: PasskeyAnswer,
  network: string,
): Promise<{ outcome: 'confirmed' } | NotVerified> {
  const { subjects, tooMany } = await beginAttempt(office, { name: accountId, network });
  if (tooMany) return tooMany;
  const use = await verifyPasskey(office, answer);
  if (use?.passkey.accountId !== accountId) return { outcome: 'wrong' };
  const isConfirmed = await inTransaction(office.pool, async (tx) => {
    await lockAccount(tx, accountId);
    if (!(await takePasskey(tx, office, use))) return false;
    await sessionConfirmed(tx, sessionId, office.clock.now());
    return true;
  });
  if (!isConfirmed) return { outcome: 'wrong' };
  await uncountAttempt(office.pool, Object.values(subjects));
  return { outcome: 'confirmed' };
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
    await notify(tx, office, accountId, 'password-changed');
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
