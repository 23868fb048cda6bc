import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { everyTestAttacks } from '@tributary/testkit/attacks';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { tokenKeyPair } from './testing/token-key-pair.ts';
import { createBearerVerifier, createTokenSigner } from './tokens.ts';

// The test vectors of Wycheproof for JSON Web Signatures, as they are published, with their keys.

type Key = JsonWebKey & { kid: string };
type Group = {
  comment: string;
  private: Key;
  public?: Key;
  tests: { tcId: number; comment: string; jws: unknown; result: 'valid' | 'invalid' }[];
};
const file = join(import.meta.dirname, 'testing/wycheproof/json_web_signature_test.json');
const { testGroups } = JSON.parse(readFileSync(file, 'utf8')) as { testGroups: Group[] };
const vectors = testGroups.flatMap((group) => group.tests.map((test) => ({ group, ...test })));

const clock = { now: () => new Date('2026-03-01T12:00:00Z') };
const environment = 'sandbox';
const stranger = tokenKeyPair('stranger').verifyKey.key;

/** A verifier whose one key is the group's, under the group's id. */
function verifierWith(group: Group) {
  const { kid } = group.private;
  const key = group.public ? createPublicKey({ key: group.public, format: 'jwk' }) : stranger;
  const keys = [{ keyId: kid, key }];
  const verify = createBearerVerifier({ keys, environment, clock, isActive: () => true });
  return (token: string) => verify(`Bearer ${token}`);
}

describe('the signatures of Wycheproof', () => {
  everyTestAttacks('tokens');

  it('are 401, of which 41 are by ES256 or for one of its keys', () => {
    expect(vectors).to.have.length(401);
    expect(vectors.filter(({ group }) => group.public?.crv === 'P-256')).to.have.length(41);
  });

  for (const { group, tcId, comment, jws } of vectors) {
    const text = typeof jws === 'string' ? jws : JSON.stringify(jws);
    it(`open nothing here, whatever they are elsewhere: ${tcId}, ${comment}`, () => {
      expect(verifierWith(group)(text)).to.equal(undefined);
    });
  }

  // The key is for encryption by its JWK in the other group; ours are in a variable of their own.
  const byEs256 = vectors.filter(({ group }) => /es256$/i.test(group.comment));
  for (const { group, tcId, comment, jws, result } of byEs256) {
    it(`by ES256 are for the library what the file says, ${result}: ${tcId}, ${comment}`, () => {
      const key = createPublicKey({ key: group.public!, format: 'jwk' });
      const verify = () => jwt.verify(String(jws), key, { algorithms: ['ES256'] });
      if (result === 'valid') expect(verify()).to.equal('foo');
      else expect(verify).to.throw(/signature|jwt|algorithm|token/);
    });
  }

  const forged = byEs256.filter(({ result, group }) => {
    return result === 'invalid' && group.comment === 'SpecialCaseEs256';
  });
  for (const { group, tcId, comment, jws } of forged) {
    it(`cannot stand under a token as ours are: ${tcId}, ${comment}`, () => {
      const read = verifierWith(group);
      const { kid } = group.private;
      const key = createPrivateKey({ key: group.private, format: 'jwk' });
      const caller = { tenantId: 't1', accessKeyId: 'ak1' };
      const sign = createTokenSigner({
        ...{ key: { keyId: kid, key }, environment, clock, lifetimeSeconds: 600 },
      });
      const { accessToken } = sign(caller);
      expect(read(accessToken)).to.deep.equal(caller);
      const [head, claims] = accessToken.split('.');
      expect(read(`${head}.${claims}.${String(jws).split('.')[2]}`)).to.equal(undefined);
    });
  }
});
