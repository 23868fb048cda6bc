import { randomUUID } from 'node:crypto';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { countRecoveryCodes, lockAccount, replaceRecoveryCodes } from '../db/accounts.ts';
import {
  countPasskeys,
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  passkeyUsed,
  renamePasskey,
  suspendPasskey,
} from '../db/passkeys.ts';
import { isOpenSession } from '../db/sessions.ts';
import type { Session } from '../domain/caller.ts';
import { challengeMs } from '../domain/durations.ts';
import { isChallenge, newChallenge, takeChallenge } from './challenges.ts';
import { notify } from './notices.ts';
import type { Office } from './office.ts';
import { digestsOf, newRecoveryCodes } from './recovery-codes.ts';

/** What the browser made of an authenticator's answer; only its form was looked at so far. */
export type PasskeyAnswer = { id: string; response: object };

/** EdDSA, ES256 and RS256, as COSE numbers them. */
const algorithms = [-8, -7, -257];
/** More than anybody has devices. */
const mostPasskeys = 20;
const signInPurpose = 'passkey';

/**
 * What a browser asks an authenticator that signs in. It names no account: the authenticator knows
 * whose passkeys it has, and strangers hear of none.
 */
export async function passkeyQuestion(office: Office) {
  if (office.passkeys === null) return undefined;
  return generateAuthenticationOptions({
    rpID: office.passkeys.rpId,
    challenge: newChallenge(office, signInPurpose),
    // So that a passkey is two factors: what somebody has, and what they know or are.
    userVerification: 'required',
    timeout: challengeMs,
  });
}

export type PasskeyUse = {
  passkey: PasskeyRow;
  challenge: string;
  counter: number;
  isSynced: boolean;
};

/**
 * Whose passkey has answered; undefined when it is to be trusted for no reason at all. The
 * signature is looked at in front of the counter: else anybody could have a passkey suspended.
 */
export async function verifyPasskey(
  office: Office,
  answer: PasskeyAnswer,
): Promise<PasskeyUse | undefined> {
  const { pool, passkeys } = office;
  if (passkeys === null) return undefined;
  const passkey = await findPasskey(pool, answer.id);
  if (passkey === undefined || passkey.suspendedAt !== null) return undefined;
  let challenge = '';
  const { credentialId: id, publicKey, counter: last } = passkey;
  const verified = await verifyAuthenticationResponse({
    response: answer as AuthenticationResponseJSON,
    expectedChallenge: (encoded) => {
      challenge = Buffer.from(encoded, 'base64url').toString();
      return isChallenge(office, signInPurpose, challenge);
    },
    expectedOrigin: [...passkeys.origins],
    expectedRPID: passkeys.rpId,
    // Ours is looked at below.
    credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    requireUserVerification: true,
  }).catch(() => undefined);
  if (verified?.verified !== true) return undefined;
  const { newCounter: counter, credentialBackedUp: isSynced } = verified.authenticationInfo;
  if ((counter > 0 || last > 0) && counter <= last) {
    await suspend(office, passkey, challenge);
    return undefined;
  }
  return { passkey, challenge, counter, isSynced };
}

/** In the transaction of what follows from it. False when it was used for something meanwhile. */
export async function takePasskey(tx: Tx, office: Office, use: PasskeyUse): Promise<boolean> {
  if (!(await takeChallenge(tx, office, use.challenge))) return false;
  return passkeyUsed(tx, use.passkey, { ...use, at: office.clock.now() });
}

/** Two that count by themselves have one key: one of them is a copy, and nobody knows which. */
async function suspend(office: Office, passkey: PasskeyRow, challenge: string): Promise<void> {
  await inTransaction(office.pool, async (tx) => {
    // What was answered before comes again as a copy would: it is refused, and says nothing more.
    if (!(await takeChallenge(tx, office, challenge))) return;
    if (!(await suspendPasskey(tx, passkey.passkeyId, office.clock.now()))) return;
    await notify(tx, office, passkey.accountId, 'passkey-suspended');
  });
}

export async function describePasskeys({ pool }: Office, { accountId }: Session) {
  return (await listPasskeys(pool, accountId)).map(describePasskey);
}

function describePasskey(row: PasskeyRow) {
  const { passkeyId, name, createdAt, lastUsedAt, isSynced, suspendedAt } = row;
  return { passkeyId, name, createdAt, lastUsedAt, isSynced, suspendedAt };
}

/** What a browser has an authenticator make. Undefined where passkeys cannot be used. */
export async function newPasskeyQuestion(office: Office, { accountId }: Session) {
  const { pool, passkeys } = office;
  if (passkeys === null) return undefined;
  const account = await inTransaction(pool, (tx) => lockAccount(tx, accountId));
  if (account === undefined) return undefined;
  const present = await listPasskeys(pool, accountId);
  return generateRegistrationOptions({
    rpName: 'Tributary',
    rpID: passkeys.rpId,
    userName: account.email,
    userDisplayName: account.name,
    userID: new Uint8Array(Buffer.from(accountId.replaceAll('-', ''), 'hex')),
    challenge: newChallenge(office, makePurpose(accountId)),
    attestationType: 'none',
    excludeCredentials: present.map(({ credentialId: id }) => ({ id })),
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    timeout: challengeMs,
  });
}

function makePurpose(accountId: string): string {
  return `new-passkey:${accountId}`;
}

export type Added =
  | {
      outcome: 'added';
      passkey: ReturnType<typeof describePasskey>;
      recoveryCodes: string[];
    }
  | { outcome: 'not-trusted' | 'known' | 'too-many' };

/**
 * With recovery codes, where it is the first second factor. Not by a session that was ended while
 * the account was waited for: a passkey would outlive what ended it.
 */
export async function addPasskey(
  office: Office,
  { accountId, sessionId }: Session,
  { name, answer }: { name: string; answer: PasskeyAnswer },
): Promise<Added> {
  const made = await verifyNew(office, accountId, answer);
  if (made === undefined) return { outcome: 'not-trusted' };
  return inTransaction(office.pool, async (tx): Promise<Added> => {
    const account = await lockAccount(tx, accountId);
    const isTheirs = account !== undefined && (await isOpenSession(tx, sessionId));
    if (!isTheirs || !(await takeChallenge(tx, office, made.challenge))) {
      return { outcome: 'not-trusted' };
    }
    if (account.passkeys >= mostPasskeys) return { outcome: 'too-many' };
    const createdAt = office.clock.now();
    const row = { ...made.row, passkeyId: randomUUID(), accountId, name, createdAt };
    if (!(await insertPasskey(tx, row))) return { outcome: 'known' };
    await countPasskeys(tx, accountId);
    const recoveryCodes = (await countRecoveryCodes(tx, accountId)) === 0 ? newRecoveryCodes() : [];
    if (recoveryCodes.length > 0) {
      await replaceRecoveryCodes(tx, accountId, digestsOf(office, accountId, recoveryCodes));
    }
    await notify(tx, office, accountId, 'passkey-added');
    const passkey = describePasskey({ ...row, lastUsedAt: null, suspendedAt: null });
    return { outcome: 'added', passkey, recoveryCodes };
  });
}

async function verifyNew(office: Office, accountId: string, answer: PasskeyAnswer) {
  if (office.passkeys === null) return undefined;
  const { rpId, origins } = office.passkeys;
  let challenge = '';
  const verified = await verifyRegistrationResponse({
    response: answer as RegistrationResponseJSON,
    expectedChallenge: (encoded) => {
      challenge = Buffer.from(encoded, 'base64url').toString();
      return isChallenge(office, makePurpose(accountId), challenge);
    },
    expectedOrigin: [...origins],
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => undefined);
  if (verified?.verified !== true) return undefined;
  const { credential, credentialBackedUp: isSynced } = verified.registrationInfo;
  const { id: credentialId, publicKey, counter, transports = [] } = credential;
  const row = { credentialId, publicKey: Buffer.from(publicKey), counter, transports, isSynced };
  return { challenge, row };
}

type Named = { accountId: string; passkeyId: string };

export async function nameOwnPasskey({ pool }: Office, named: Named, name: string) {
  const row = await renamePasskey(pool, named, name);
  return row && describePasskey(row);
}

/** False when there is none of this id. With the last second factor go the recovery codes. */
export async function removePasskey(office: Office, named: Named): Promise<boolean> {
  return inTransaction(office.pool, async (tx) => {
    const account = await lockAccount(tx, named.accountId);
    if (account === undefined || !(await deletePasskey(tx, named))) return false;
    const left = await countPasskeys(tx, named.accountId);
    if (left === 0 && account.totpSince === null) {
      await replaceRecoveryCodes(tx, named.accountId, []);
    }
    await notify(tx, office, named.accountId, 'passkey-removed');
    return true;
  });
}
