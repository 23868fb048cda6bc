import { expect } from 'chai';
import { clockSkewSeconds, validateClaims } from './widget-claims.ts';

const nowSeconds = 1_800_000_000;
const good = { productId: 'p', productUserId: 'u', iat: nowSeconds };
const validate = (payload: unknown, maxAgeSeconds: number | null = null) => {
  const validation = validateClaims(payload, { nowSeconds, maxAgeSeconds });
  return validation.outcome === 'fault' ? validation.fault : 'good';
};

describe('claims of a widget token (interface 5, design 8)', () => {
  it('are exactly productId, productUserId and iat', () => {
    expect(validate(good)).to.equal('good');
    const extras = ['exp', 'iss', 'sub', 'name', 'email', 'nbf', 'aud', 'jti', '__proto__', ''];
    for (const extra of extras) {
      const payload: unknown = JSON.parse(`{"${extra}":1,${JSON.stringify(good).slice(1)}`);
      expect(validate(payload), extra).to.equal('claims');
    }
    for (const name of Object.keys(good)) {
      expect(validate({ ...good, [name]: undefined }), name).to.equal('claims');
      const rest = Object.entries(good).filter(([key]) => key !== name);
      expect(validate(Object.fromEntries(rest)), name).to.equal('claims');
    }
  });

  it('are members of an object', () => {
    for (const payload of [null, 'text', 1, [], [good], undefined]) {
      expect(validate(payload)).to.equal('claims');
    }
  });

  it('have ids of 1 to 255 characters, counted in code points', () => {
    const ids: [unknown, string][] = [
      ['x', 'good'],
      [' ', 'good'],
      ['x'.repeat(255), 'good'],
      ['\u{1f600}'.repeat(255), 'good'],
      ['x'.repeat(256), 'claims'],
      ['\u{1f600}'.repeat(256), 'claims'],
      ['', 'claims'],
      ['a\0', 'claims'],
      ['\ud800', 'claims'],
      [7, 'claims'],
      [null, 'claims'],
      [['u'], 'claims'],
    ];
    for (const [id, expected] of ids) {
      expect(validate({ ...good, productId: id }), JSON.stringify(id)).to.equal(expected);
      expect(validate({ ...good, productUserId: id }), JSON.stringify(id)).to.equal(expected);
    }
  });

  it('have whole seconds as iat', () => {
    for (const iat of ['1800000000', 1.5, -1, Number.NaN, null, 2 ** 60, true]) {
      expect(validate({ ...good, iat }), String(iat)).to.equal('claims');
    }
    expect(validate({ ...good, iat: 0 })).to.equal('good');
  });

  it('may be issued five minutes ahead of this clock', () => {
    expect(validate({ ...good, iat: nowSeconds + clockSkewSeconds })).to.equal('good');
    expect(validate({ ...good, iat: nowSeconds + clockSkewSeconds + 1 })).to.equal('issued-ahead');
    expect(validate({ ...good, iat: nowSeconds * 1_000 })).to.equal('issued-ahead');
  });

  it('may be as old as the tenant allows, by default of any age', () => {
    expect(validate({ ...good, iat: nowSeconds - 60 }, 60)).to.equal('good');
    expect(validate({ ...good, iat: nowSeconds - 61 }, 60)).to.equal('too-old');
    expect(validate({ ...good, iat: 0 }, null)).to.equal('good');
  });
});
