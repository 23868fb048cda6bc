import { inTransaction } from '@tributary/runtime/postgres';
import { sealSecret } from '@tributary/runtime/secrets';
import {
  lockAccount,
  replaceRecoveryCodes,
  replaceSealedTotp,
  storeSecondFactor,
} from '../db/accounts.ts';
import type { Session } from '../domain/caller.ts';
import { newRecoveryCodes, newTotpSecret, otpauthUrl, stepOfCode } from './totp.ts';
import type { Office } from './office.ts';
import { openTotp, recoveryText, totpContext } from './verify-credentials.ts';

/** Undefined when there is one. */
export async function startSecondFactor({ pool, keyRing }: Office, { accountId }: Session) {
  return inTransaction(pool, async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (account === undefined || account.totpSince !== null) return undefined;
    const secret = newTotpSecret();
    const sealed = sealSecret(keyRing, secret, totpContext(accountId));
    await storeSecondFactor(tx, accountId, { sealed, since: null, lastStep: null });
    return { secret, otpauthUrl: otpauthUrl(secret, account.email) };
  });
}

/** The recovery codes; undefined when the code is wrong, or none is waited for. */
export async function enableSecondFactor(
  office: Office,
  { accountId }: Session,
  code: string,
): Promise<string[] | undefined> {
  return inTransaction(office.pool, async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (account === undefined || account.sealedTotp === null || account.totpSince !== null) {
      return undefined;
    }
    const at = office.clock.now();
    const step = stepOfCode(openTotp(office, accountId, account.sealedTotp), code, at);
    if (step === undefined) return undefined;
    const totp = { sealed: account.sealedTotp, since: at, lastStep: step };
    await storeSecondFactor(tx, accountId, totp);
    const codes = newRecoveryCodes();
    await replaceRecoveryCodes(tx, accountId, digestsOf(office, accountId, codes));
    return codes;
  });
}

export async function removeSecondFactor({ pool }: Office, { accountId }: Session): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await lockAccount(tx, accountId);
    await storeSecondFactor(tx, accountId, { sealed: null, since: null, lastStep: null });
    await replaceRecoveryCodes(tx, accountId, []);
  });
}

/** Undefined when there is no second factor. */
export async function renewRecoveryCodes(
  office: Office,
  { accountId }: Session,
): Promise<string[] | undefined> {
  return inTransaction(office.pool, async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (account === undefined || account.totpSince === null) return undefined;
    const codes = newRecoveryCodes();
    await replaceRecoveryCodes(tx, accountId, digestsOf(office, accountId, codes));
    return codes;
  });
}

/** By the newest key; false when it is so already, or there is none any more. */
export async function resealSecondFactor(
  { pool, keyRing }: Office,
  accountId: string,
): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const account = await lockAccount(tx, accountId);
    const sealed = account?.sealedTotp ?? '';
    if (sealed === '' || sealed.split('.')[1] === keyRing[0]?.keyId) return false;
    const secret = openTotp({ keyRing }, accountId, sealed);
    await replaceSealedTotp(tx, accountId, sealSecret(keyRing, secret, totpContext(accountId)));
    return true;
  });
}

function digestsOf({ digest }: Office, accountId: string, codes: readonly string[]): string[] {
  return codes.map((code) => digest(recoveryText(accountId, code)));
}
