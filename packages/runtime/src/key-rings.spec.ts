import { Type } from '@sinclair/typebox';
import { expect } from 'chai';
import { parseConfig } from './config.ts';
import { parseKeyRing, productSecretRing, readKeyRing } from './key-rings.ts';

const schema = Type.Object(productSecretRing);
const [key, other] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [
  string,
  string,
];

function parse(own: string | undefined, former?: string) {
  return parseConfig(schema, {
    TRIBUTARY_PRODUCT_SECRET_KEY_RING: own,
    TRIBUTARY_SECRET_KEY_RING: former,
  });
}

describe('a key ring', () => {
  it('is read newest first', () => {
    expect(parse(`new:${key}, old:${key}`)).to.have.property('config');
    const ring = parseKeyRing(`new:${key}, old:${key}`);
    expect(ring.map(({ keyId }) => keyId)).to.deep.equal(['new', 'old']);
    expect(ring[1]?.key).to.have.length(32);
  });

  it('is refused with a short or long key, a repeated or missing id and rubbish, unrepeated', () => {
    const [short, long] = [31, 64].map((length) => Buffer.alloc(length, 7).toString('base64'));
    for (const ring of [
      `a:${short}`,
      `a:${long}`,
      `a:${key},a:${key}`,
      key,
      'a:!!!',
      `a.b:${key}`,
      ',',
    ]) {
      const result = parse(ring);
      expect(result, ring).to.have.property('mistakes').with.length(1);
      expect(JSON.stringify(result)).not.to.include(short).and.not.include(key);
    }
  });

  it('is missing where there is neither one of its own nor that of earlier releases', () => {
    const missing =
      'TRIBUTARY_PRODUCT_SECRET_KEY_RING: is missing; it must be keyId:base64 of 32 random bytes, or several with commas between, newest first';
    expect(parse(undefined)).to.deep.equal({ mistakes: [missing] });
    expect(parse('')).to.deep.equal({ mistakes: [missing] });
    expect(parse(undefined, `k1:${key}`)).to.have.property('config');
    expect(parse(undefined, 'k1:short')).to.have.property('mistakes').with.length(1);
  });

  it('has the keys of earlier releases behind its own, which seal', () => {
    const keyIdsOf = (own: string, former?: string) =>
      readKeyRing(own, former).map(({ keyId }) => keyId);
    expect(keyIdsOf(`new:${key}`, `k2:${other},k1:${other}`)).to.deep.equal(['new', 'k2', 'k1']);
    expect(keyIdsOf('', `k1:${other}`)).to.deep.equal(['k1']);
    expect(keyIdsOf(`new:${key}`)).to.deep.equal(['new']);
    expect(keyIdsOf(`k1:${key}`, `k1:${key}`), 'moved over').to.deep.equal(['k1']);
  });

  it('is refused with another key under an id that is in use: sealed texts name the id alone', () => {
    expect(parse(`k1:${key}`, `k1:${key}`)).to.have.property('config');
    expect(parse(`k1:${key}`, `k1:${other}`)).to.deep.equal({
      mistakes: [
        'TRIBUTARY_PRODUCT_SECRET_KEY_RING: has another key under the id k1, which TRIBUTARY_SECRET_KEY_RING has, too',
      ],
    });
  });
});
