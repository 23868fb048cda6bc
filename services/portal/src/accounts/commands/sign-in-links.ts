import { randomBytes } from 'node:crypto';
import { inTransaction } from '@tributary/runtime/postgres';
import { findAccount, lockAccount } from '../db/accounts.ts';
import { insertSignInLink, takeSignInLink } from '../db/sign-in-links.ts';
import { after, signInLinkMs } from '../domain/durations.ts';
import type { Office } from './office.ts';
import { type From, openSession, type SignedIn } from './sessions.ts';

/** Undefined when nobody has the e-mail. */
export async function makeSignInLink(
  { pool, clock, digest }: Office,
  email: string,
): Promise<{ secret: string; expiresAt: Date } | undefined> {
  const account = await findAccount(pool, email);
  if (account === undefined) return undefined;
  const secret = randomBytes(32).toString('base64url');
  const at = clock.now();
  const row = { accountId: account.accountId, at, expiresAt: after(at, signInLinkMs) };
  await insertSignInLink(pool, { ...row, digest: digest(linkText(secret)) });
  return { secret, expiresAt: row.expiresAt };
}

/** Undefined when it was used, or its time is over. */
export async function signInByLink(
  office: Office,
  secret: string,
  from: From,
): Promise<SignedIn | undefined> {
  const { pool, clock, digest } = office;
  return inTransaction(pool, async (tx) => {
    const accountId = await takeSignInLink(tx, digest(linkText(secret)), clock.now());
    const account = accountId === undefined ? undefined : await lockAccount(tx, accountId);
    return account && openSession(tx, office, account.accountId, from);
  });
}

function linkText(secret: string): string {
  return `sign-in-link:${secret}`;
}
