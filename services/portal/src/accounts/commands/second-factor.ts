import { inTransaction } from '@tributary/runtime/postgres';
import { sealSecret } from '@tributary/runtime/secrets';
import {
  hasSecondFactor,
  lockAccount,
  replaceRecoveryCodes,
  replaceSealedTotp,
  storeSecondFactor,
} from '../db/accounts.ts';
import type { Session } from '../domain/caller.ts';
import { notify } from './notices.ts';
import type { Office } from './office.ts';
import { digestsOf, newRecoveryCodes } from './recovery-codes.ts';
import { newTotpSecret, otpauthUrl, stepOfCode } from './totp.ts';
import { openTotp, totpContext } from './verify-credentials.ts';

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
    await notify(tx, office, accountId, 'authenticator-added');
    return codes;
  });
}

/** Its recovery codes stay where there are passkeys. */
export async function removeSecondFactor(office: Office, { accountId }: Session): Promise<void> {
  await inTransaction(office.pool, async (tx) => {
    const account = await lockAccount(tx, accountId);
    await storeSecondFactor(tx, accountId, { sealed: null, since: null, lastStep: null });
    if (account?.passkeys === 0) await replaceRecoveryCodes(tx, accountId, []);
    if (account && account.totpSince !== null) {
      await notify(tx, office, accountId, 'authenticator-removed');
    }
  });
}

/** Undefined when there is no second factor. */
export async function renewRecoveryCodes(
  office: Office,
  { accountId }: Session,
): Promise<string[] | undefined> {
  return inTransaction(office.pool, async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (account === undefined || !hasSecondFactor(account)) return undefined;
    const codes = newRecoveryCodes();
    await replaceRecoveryCodes(tx, accountId, digestsOf(office, accountId, codes));
    await notify(tx, office, accountId, 'recovery-codes-renewed');
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
