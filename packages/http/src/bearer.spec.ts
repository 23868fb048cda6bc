import { expect } from 'chai';
import { parseBearer } from './bearer.ts';

describe('bearer header (RFC 6750 2.1)', () => {
  it('gives the token, with the scheme in any case', () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
      expect(parseBearer(`${scheme} abc.DEF-_~+/12==`)).to.equal('abc.DEF-_~+/12==');
    }
    expect(parseBearer('Bearer   abc ')).to.equal('abc');
  });

  it('refuses every other form', () => {
    const others = ['', 'abc', 'Bearer', 'Bearer ', 'Bearerabc', 'Basic abc', 'Bearer a b'];
    for (const header of [
      undefined,
      ...others,
      'Bearer a,b',
      'Bearer "abc"',
      'Bearer =',
      'Bearer\tabc',
      'Bearer Bearer abc',
      'Bearer abc, Bearer abc',
      'Bearer =abc',
      'Bearer ab=c',
      'Bearer äbc',
      `Bearer${' '.repeat(16_000)}`,
    ]) {
      expect(parseBearer(header), String(header)).to.equal(undefined);
    }
  });
});
