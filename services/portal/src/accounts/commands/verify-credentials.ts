import { openSecret } from '@tributary/runtime/secrets';
import { inTransaction } from '@tributary/runtime/postgres';
import {
  type AccountRow,
  hasSecondFactor,
  replacePassword,
  takeRecoveryCode,
  takeStep,
} from '../db/accounts.ts';
import { forgetAttempts, uncountAttempt } from '../db/sign-in-failures.ts';
import { beginAttempt, type TooMany } from './attempts.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import type { Office } from './office.ts';
import { type PasskeyAnswer, takePasskey, verifyPasskey } from './passkeys.ts';
import { recoveryText } from './recovery-codes.ts';
import { stepOfCode } from './totp.ts';

export type Credentials = {
  password: string;
  /** Either of them, where there is a second factor. */
  code?: string | undefined;
  passkey?: PasskeyAnswer | undefined;
};
export type Verified =
  /** With the account as it was looked at: what follows from it holds while it is so. */
  | { outcome: 'right'; account: AccountRow }
  | { outcome: 'wrong' }
  /** What would do. */
  | { outcome: 'factor-needed'; code: boolean; passkey: boolean }
  | TooMany;

/**
 * Whether somebody is who they say. Every attempt counts before it is looked at; one that is right
 * counts nothing. Without an account the same is done, and takes as long.
 */
export async function verifyCredentials(
  office: Office,
  account: AccountRow | undefined,
  credentials: Credentials,
  /** `name` is the e-mail as it was given, or the id of the account. */
  about: { name: string; network: string; withCode: boolean },
): Promise<Verified> {
  const { pool } = office;
  const { subjects, tooMany } = await beginAttempt(office, about);
  if (tooMany) return tooMany;
  const { password } = credentials;
  const { isRight, isOutdated } = await verifyPassword(account?.passwordHash, password);
  if (!isRight || account === undefined) return { outcome: 'wrong' };
  if (about.withCode && hasSecondFactor(account)) {
    const factor = await takeFactor(office, account, credentials);
    if (factor === 'missing') {
      await uncountAttempt(pool, [subjects.address]);
      const { totpSince, passkeys } = account;
      return { outcome: 'factor-needed', code: totpSince !== null, passkey: passkeys > 0 };
    }
    if (factor === 'wrong') return { outcome: 'wrong' };
  }
  await uncountAttempt(pool, Object.values(subjects));
  // Else a password alone would make room for guesses of the code.
  if ((about.withCode || !hasSecondFactor(account)) && subjects.account !== undefined) {
    await forgetAttempts(pool, subjects.account);
  }
  const passwordHash = isOutdated ? await hashAnew(pool, account, password) : account.passwordHash;
  return { outcome: 'right', account: { ...account, passwordHash } };
}

async function takeFactor(
  office: Office,
  account: AccountRow,
  { code, passkey }: Credentials,
): Promise<'right' | 'wrong' | 'missing'> {
  if (code === undefined && passkey === undefined) return 'missing';
  const isTheirs =
    passkey === undefined
      ? await takeCode(office, account, code ?? '')
      : await takeOwnPasskey(office, account, passkey);
  return isTheirs ? 'right' : 'wrong';
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
  const holds = account.totpSince !== null && sealedTotp !== null;
  const step = holds
    ? stepOfCode(openTotp(office, accountId, sealedTotp), code, clock.now())
    : undefined;
  if (step !== undefined) return takeStep(pool, accountId, step);
  return takeRecoveryCode(pool, accountId, digest(recoveryText(accountId, code)));
}

async function takeOwnPasskey(
  office: Office,
  { accountId }: AccountRow,
  answer: PasskeyAnswer,
): Promise<boolean> {
  const use = await verifyPasskey(office, answer);
  if (use === undefined || use.passkey.accountId !== accountId) return false;
  return inTransaction(office.pool, (tx) => takePasskey(tx, office, use));
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
