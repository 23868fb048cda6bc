import { expect } from 'chai';
import { createBasicCheck } from './basic-credentials.ts';

const header = (text: string | Buffer) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('Basic credentials (6.1 rule 1)', () => {
  const check = createBasicCheck([{ username: 'acmé', password: 'pass:word:ü' }]);

  for (const right of [
    header('acmé:pass:word:ü'),
    header('acmé:pass:word:ü').replace('Basic', 'basic'),
    header('acmé:pass:word:ü').replace('Basic ', 'BASIC  '),
  ]) {
    it(`accepts UTF-8, colons in the password, and any case of the scheme: ${right}`, () => {
      expect(check(right)).to.equal(true);
    });
  }

  for (const [what, wrong] of [
    ['none', undefined],
    ['an empty one', ''],
    ['a scheme alone', 'Basic '],
    ['another scheme', header('acmé:pass:word:ü').replace('Basic', 'Bearer')],
    ['another password', header('acmé:pass:word')],
    ['another user', header('acme:pass:word:ü')],
    ['no colon', header('acmé')],
    ['another encoding of the text', header(Buffer.from('acmé:pass:word:ü', 'latin1'))],
    ['two values in one', `${header('acmé:pass:word:ü')}, Basic eDp5`],
    ['the text unencoded', 'Basic acmé:pass:word:ü'],
    ['several headers', [header('acmé:pass:word:ü')]],
  ] as const) {
    it(`refuses ${what}`, () => expect(check(wrong)).to.equal(false));
  }

  it('accepts each of several while they are exchanged', () => {
    const both = createBasicCheck([
      { username: 'acme', password: 'new' },
      { username: 'acme', password: 'old' },
    ]);
    expect(['new', 'old', 'older'].map((word) => both(header(`acme:${word}`)))).to.eql([
      ...[true, true, false],
    ]);
  });

  it('does not begin with a credential that is missing', () => {
    const nothing = undefined as unknown as string;
    for (const wrong of [
      [],
      [{ username: '', password: 'x' }],
      [{ username: 'x', password: '' }],
      [{ username: 'x', password: nothing }],
    ]) {
      expect(() => createBasicCheck(wrong)).to.throw(TypeError);
    }
  });
});
