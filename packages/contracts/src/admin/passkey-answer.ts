import { Type } from '@sinclair/typebox';

const maxEncoded = 20_000;
const encoded = () =>
  Type.RegExp(new RegExp(`^[A-Za-z0-9_-]{1,${maxEncoded}}$`), {
    expected: 'bytes as base64url',
    maxCodePoints: maxEncoded,
  });

/**
 * What a browser made of an authenticator's answer, as `toJSON` of its `PublicKeyCredential` gives
 * it. Its members are WebAuthn's, more than are named here: what they say is verified.
 */
export const PasskeyAnswer = Type.Object({
  id: encoded(),
  rawId: encoded(),
  type: Type.Literal('public-key'),
  response: Type.Object({ clientDataJSON: encoded() }),
});
