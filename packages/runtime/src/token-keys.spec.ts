import { generateKeyPairSync } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { expect } from 'chai';
import { parseConfig } from './config.ts';
import {
  makeTokenSigningKey,
  parseTokenSigningKey,
  parseTokenVerifyKeys,
  tokenSigningVariable,
  tokenVerifyVariable,
  verifyKeyOf,
} from './token-keys.ts';

const [older, newer] = [makeTokenSigningKey('k1'), makeTokenSigningKey('k2')];
const secretOf = (signingKey: string) => signingKey.split(':')[1]!;

const parseBoth = (signingKey: string, verifyKeys: string) =>
  parseConfig(Type.Object({ ...tokenSigningVariable, ...tokenVerifyVariable }), {
    TRIBUTARY_TOKEN_SIGNING_KEY: signingKey,
    TRIBUTARY_TOKEN_VERIFY_KEYS: verifyKeys,
  });
const parseVerifyKeys = (text: string) =>
  parseConfig(Type.Object(tokenVerifyVariable), { TRIBUTARY_TOKEN_VERIFY_KEYS: text });

describe('the keys of access tokens', () => {
  it('are a private one, and public ones of which one may replace another', () => {
    const verifyKeys = `${verifyKeyOf(newer)}, ${verifyKeyOf(older)}`;
    expect(parseBoth(newer, verifyKeys)).to.have.property('config');
    expect(parseTokenSigningKey(newer)).to.include({ keyId: 'k2' });
    expect(parseTokenSigningKey(newer).key.type).to.equal('private');
    const read = parseTokenVerifyKeys(verifyKeys);
    expect(read.map(({ keyId, key }) => [keyId, key.type])).to.deep.equal([
      ['k2', 'public'],
      ['k1', 'public'],
    ]);
  });

  it('are refused when nobody would take what is signed, by its id or by its key', () => {
    for (const verifyKeys of [
      verifyKeyOf(older),
      verifyKeyOf(older).replace(/^k1/, 'k2'),
      verifyKeyOf(newer).replace(/^k2/, 'k1'),
    ]) {
      const result = parseBoth(newer, verifyKeys);
      expect(result).to.have.nested.property('mistakes[0]').that.includes('nobody would take');
      expect(JSON.stringify(result)).not.to.include(secretOf(newer));
    }
  });

  it('are refused where a service that verifies is given a private one', () => {
    const result = parseVerifyKeys(older);
    expect(result).to.have.nested.property('mistakes[0]').that.includes('public key');
    expect(JSON.stringify(result)).not.to.include(secretOf(older));
  });

  it('are refused of another curve or kind, repeated, or as earlier releases had them', () => {
    const spki = (pair: ReturnType<typeof generateKeyPairSync>) =>
      (pair.publicKey as unknown as { export(o: object): Buffer })
        .export({ format: 'der', type: 'spki' })
        .toString('base64');
    const p384 = spki(generateKeyPairSync('ec', { namedCurve: 'secp384r1' }));
    const rsa = spki(generateKeyPairSync('rsa', { modulusLength: 2048 }));
    const secret = Buffer.alloc(32, 7).toString('base64');
    for (const text of [
      `k1:${p384}`,
      `k1:${rsa}`,
      `k1:${secret}`,
      `${verifyKeyOf(older)},${verifyKeyOf(older)}`,
      `${verifyKeyOf(older)},`,
      verifyKeyOf(older).replace(/^k1/, 'k.1'),
      secretOf(verifyKeyOf(older)),
      'k1:!!!',
    ]) {
      expect(parseVerifyKeys(text), text).to.have.property('mistakes').with.length(1);
    }
    expect(parseBoth(`k1:${secret}`, verifyKeyOf(older))).to.have.property('mistakes');
  });
});
