import { expect } from 'chai';
import { readBootOptions, userOfToken } from './boot-options.ts';
import { TributaryError } from './tributary-error.ts';

const given = (more: object = {}) => ({ token: 'a.b.c', productUserDetails: {}, ...more });

describe('the options of boot', () => {
  it('are the token and the details that are texts', () => {
    const details = { firstName: 'Ada', lastName: '', fullName: null, email: 7, plan: 'pro' };
    const options = readBootOptions(given({ productUserDetails: details, other: true }));
    expect(options).to.deep.include({ token: 'a.b.c', productUserDetails: { firstName: 'Ada' } });
    expect(options).to.not.have.property('other');
  });

  const wrong: Record<string, unknown> = {
    nothing: undefined,
    'no object': 'a.b.c',
    'no token': given({ token: undefined }),
    'an empty token': given({ token: '' }),
    'a token that is a promise': given({ token: Promise.resolve('a.b.c') }),
    'no details': { token: 'a.b.c' },
    'details that are null': given({ productUserDetails: null }),
    'details that are a list': given({ productUserDetails: ['Ada'] }),
    'details that are text': given({ productUserDetails: 'Ada' }),
    'an unknown direction': given({ direction: 'up' }),
    'an unknown launcher': given({ launcher: true }),
  };
  for (const [title, options] of Object.entries(wrong)) {
    it(`are refused with ${title}`, () => {
      expect(() => readBootOptions(options))
        .to.throw(TributaryError)
        .with.property('code', 'INVALID_CONFIGURATION');
    });
  }
});

describe('the user of a token', () => {
  const tokenOf = (claims: object) => {
    const bytes = new TextEncoder().encode(JSON.stringify(claims));
    const base64 = btoa(String.fromCharCode(...bytes));
    return `e30.${base64.replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '')}.x`;
  };

  it('is the same for two tokens of one user, and another for another', () => {
    const ada = { productId: 'p', productUserId: 'ädå/ÿ👋', iat: 1 };
    const user = userOfToken(tokenOf(ada));
    expect(userOfToken(tokenOf({ ...ada, iat: 2 }))).to.equal(user);
    expect(userOfToken(tokenOf({ ...ada, productUserId: 'bob' }))).to.not.equal(user);
    expect(userOfToken(tokenOf({ ...ada, productId: 'q' }))).to.not.equal(user);
  });

  it('is the token itself where it cannot be read', () => {
    for (const token of ['x', '..', 'a.%%%.c', `e30.${btoa('"text"')}.x`]) {
      expect(userOfToken(token)).to.equal(token);
    }
  });
});
