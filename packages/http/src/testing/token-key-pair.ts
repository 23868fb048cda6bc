import {
  makeTokenSigningKey,
  parseTokenSigningKey,
  parseTokenVerifyKeys,
  type TokenKey,
  verifyKeyOf,
} from '@tributary/runtime/token-keys';

/** A key of access tokens, both halves. */
export function tokenKeyPair(keyId: string): { signingKey: TokenKey; verifyKey: TokenKey } {
  const signingKey = makeTokenSigningKey(keyId);
  const [verifyKey] = parseTokenVerifyKeys(verifyKeyOf(signingKey));
  return { signingKey: parseTokenSigningKey(signingKey), verifyKey: verifyKey! };
}
