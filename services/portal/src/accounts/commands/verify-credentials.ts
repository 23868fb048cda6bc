import { openSecret } from '@tributary/runtime/secrets';
import { type AccountRow, replacePassword, takeRecoveryCode, takeStep } from '../db/accounts.ts';
import { countAttempt, forgetAttempts, uncountAttempt } from '../db/sign-in-failures.ts';
import { after, failuresMs, failuresOfAccount, failuresOfAddress } from '../domain/durations.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { plainRecoveryCode, stepOfCode } from './totp.ts';
import type { Office } from './office.ts';

export type Credentials = { password: string; code?: string | undefined };
export type Verified =
  /** With the account as it was looked at: what follows from it holds while it is so. */
  | { outcome: 'right'; account: AccountRow }
  | { outcome: 'wrong' }
  | { outcome: 'code-needed' }
  | { outcome: 'too-many'; retryAfterSeconds: number };

/**
 * Whether somebody is who they say. Every attempt counts before it is looked at, so that many at
 * once are no more than many in a row; one that is right counts nothing. Without an account the
 * same is done, and takes as long.
 */
export async function verifyCredentials(
  office: Office,
  account: AccountRow | undefined,
  credentials: Credentials,
  /**
   * Whose attempts count together: `email` as it was given, or the id of the account; and all of
   * one network.
   */
  about: { name: string; network: string; withCode: boolean },
): Promise<Verified> {
  const { pool, clock, digest } = office;
  const at = clock.now();
  const subjects = {
    account: digest(`attempts-of-account:${about.name}`),
    address: digest(`attempts-from-address:${about.network}`),
  };
  const counted = await countAttempt(pool, Object.values(subjects), at, after(at, failuresMs));
  const until = [
    counted.find((one) => one.subject === subjects.account && one.failures > failuresOfAccount),
    counted.find((one) => one.subject === subjects.address && one.failures > failuresOfAddress),
  ].flatMap((over) => (over === undefined ? [] : [over.until.getTime()]));
  if (until.length > 0) {
    const retryAfterSeconds = Math.ceil((Math.max(...until) - at.getTime()) / 1_000);
    return { outcome: 'too-many', retryAfterSeconds };
  }
  const { password, code } = credentials;
  const { isRight, isOutdated } = await verifyPassword(account?.passwordHash, password);
  if (!isRight || account === undefined) return { outcome: 'wrong' };
  if (about.withCode && account.totpSince !== null) {
    if (code === undefined) {
      await uncountAttempt(pool, [subjects.address]);
      return { outcome: 'code-needed' };
    }
    if (!(await takeCode(office, account, code))) return { outcome: 'wrong' };
  }
  await uncountAttempt(pool, Object.values(subjects));
  // Else a password alone would make room for guesses of the code.
  if (about.withCode || account.totpSince === null) await forgetAttempts(pool, subjects.account);
  const passwordHash = isOutdated ? await hashAnew(pool, account, password) : account.passwordHash;
  return { outcome: 'right', account: { ...account, passwordHash } };
}

/** The hash that it has then, unless the password was changed meanwhile. */
async function hashAnew(
  pool: Office['pool'],
  { accountId, passwordHash: from }: AccountRow,
  password: string,
): Promise<string | null> {
  if (from === null) return null;
  const to = await hashPassword(password);
  return (await replacePassword(pool, accountId, { from, to })) ? to : from;
}

/** A code of the authenticator that was not taken before, or one of the recovery codes. */
async function takeCode(office: Office, account: AccountRow, code: string): Promise<boolean> {
  const { pool, clock, digest } = office;
  const { accountId, sealedTotp } = account;
  if (sealedTotp === null) return false;
  const step = stepOfCode(openTotp(office, accountId, sealedTotp), code, clock.now());
  if (step !== undefined) return takeStep(pool, accountId, step);
  return takeRecoveryCode(pool, accountId, digest(recoveryText(accountId, code)));
}

export function recoveryText(accountId: string, code: string): string {
  return `recovery:${accountId}:${plainRecoveryCode(code)}`;
}

export function totpContext(accountId: string): string {
  return `${accountId}:second-factor`;
}

export function openTotp(
  { keyRing }: Pick<Office, 'keyRing'>,
  accountId: string,
  sealed: string,
): string {
  return openSecret(keyRing, sealed, totpContext(accountId));
}
