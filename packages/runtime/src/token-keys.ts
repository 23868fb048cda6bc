import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { isBase64 } from './variable-rules.ts';

// The keys of access tokens. One service makes tokens and is given the private key; all that verify
// them are given public keys, with which nobody can make one. Each is `keyId:base64` of DER, one
// word of an environment file: PKCS#8 the private one, SubjectPublicKeyInfo the public.

/** A P-256 key by the id that the `kid` of a token names. */
export type TokenKey = { readonly keyId: string; readonly key: KeyObject };

const formOfSigningKey = 'keyId:base64 of a P-256 private key (PKCS#8, DER)';
const formOfVerifyKeys =
  'keyId:base64 of a P-256 public key (SubjectPublicKeyInfo, DER), or several with commas between';

/** For services that verify access tokens; several keys while one replaces another. */
export const tokenVerifyVariable = {
  TRIBUTARY_TOKEN_VERIFY_KEYS: Type.String({
    expected: formOfVerifyKeys,
    verify: mistakeOfVerifyKeys,
  }),
};

/** For the one that makes them. What it signs must be taken, by itself and by the others. */
export const tokenSigningVariable = {
  TRIBUTARY_TOKEN_SIGNING_KEY: Type.String({
    secret: true,
    expected: formOfSigningKey,
    verify: mistakeOfSigningKey,
  }),
};

/** @throws what is not of the form, which was checked with the configuration. */
export function parseTokenSigningKey(text: string): TokenKey {
  const key = readEntry(text, readPrivate);
  if (key === undefined) throw new Error(`a token signing key is not ${formOfSigningKey}`);
  return key;
}

/** @throws as {@link parseTokenSigningKey}. */
export function parseTokenVerifyKeys(text: string): readonly TokenKey[] {
  return text.split(',').map((entry) => {
    const key = readEntry(entry.trim(), readPublic);
    if (key === undefined) throw new Error(`a token verify key is not ${formOfVerifyKeys}`);
    return key;
  });
}

/** A new signing key, as its variable takes it. */
export function makeTokenSigningKey(keyId: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return `${keyId}:${privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')}`;
}

/** What those who verify are given of a signing key, as their variable takes it. */
export function verifyKeyOf(signingKey: string): string {
  const { keyId, key } = parseTokenSigningKey(signingKey);
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return `${keyId}:${der.toString('base64')}`;
}

function mistakeOfVerifyKeys(text: string): string | undefined {
  const entries = text.split(',').map((entry) => entry.trim());
  const wrong = entries.findIndex((entry) => readEntry(entry, readPublic) === undefined);
  if (wrong !== -1) return `entry ${wrong + 1} is wrong; it must be ${formOfVerifyKeys}`;
  const keyIds = entries.map((entry) => entry.split(':')[0] ?? '');
  const repeated = keyIds.find((keyId, i) => keyIds.indexOf(keyId) !== i);
  return repeated === undefined ? undefined : `has the key id ${repeated} twice`;
}

function mistakeOfSigningKey(
  text: string,
  all: Readonly<Record<string, unknown>>,
): string | undefined {
  const signing = readEntry(text, readPrivate);
  if (signing === undefined) return `must be ${formOfSigningKey}`;
  const verifyKeys = all['TRIBUTARY_TOKEN_VERIFY_KEYS'];
  // A mistake of its own.
  if (typeof verifyKeys !== 'string' || mistakeOfVerifyKeys(verifyKeys) !== undefined) return;
  const isTaken = parseTokenVerifyKeys(verifyKeys).some(
    ({ keyId, key }) => keyId === signing.keyId && key.equals(createPublicKey(signing.key)),
  );
  return isTaken
    ? undefined
    : `is not the other half of the key ${signing.keyId} in TRIBUTARY_TOKEN_VERIFY_KEYS; nobody would take its tokens`;
}

function readEntry(entry: string, read: (der: Buffer) => KeyObject): TokenKey | undefined {
  const [, keyId, base64] = /^([A-Za-z0-9_-]{1,32}):(.*)$/.exec(entry) ?? [];
  if (keyId === undefined || base64 === undefined || !isBase64(base64)) return undefined;
  try {
    const key = read(Buffer.from(base64, 'base64'));
    const isP256 = key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
    return isP256 ? { keyId, key } : undefined;
  } catch {
    return undefined;
  }
}

function readPrivate(der: Buffer): KeyObject {
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

function readPublic(der: Buffer): KeyObject {
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}
