import { type Static, Type } from '@sinclair/typebox';
import { createBodyReader } from '../body-reader.ts';
import { closedObject } from '../closed-object.ts';

/** Body of POST /token; unknown members are ignored (design 8, "Token"). */
export const TokenRequest = Type.Object(
  {
    accessKeyId: Type.String({ description: 'the access key id, a string' }),
    secretAccessKey: Type.String({ description: 'the secret access key, a string' }),
  },
  { description: 'a JSON object' },
);
export type TokenRequest = Static<typeof TokenRequest>;

/** 201 (interface 2.11). */
export const TokenResponse = closedObject({
  accessToken: Type.String(),
  /** Seconds. */
  expiresIn: Type.Number(),
});
export type TokenResponse = Static<typeof TokenResponse>;

export const readTokenRequest = createBodyReader(TokenRequest);
