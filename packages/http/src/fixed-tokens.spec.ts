import { expect } from 'chai';
import { createTokenCheck, parseTokenList } from './fixed-tokens.ts';

describe('fixed tokens', () => {
  const isKnown = createTokenCheck(['token-one', 'token-two']);

  it('takes each token, with the scheme in any case (RFC 6750)', () => {
    for (const header of ['Bearer token-one', 'bearer token-two', 'BEARER  token-one']) {
      expect(isKnown(header), header).to.equal(true);
    }
  });

  it('refuses everything else', () => {
    for (const header of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'token-one',
      'Basic token-one',
      'Bearer token-on',
      'Bearer token-one ',
      'Bearer token-one token-two',
      'Bearer token-one,token-two',
      'Bearer TOKEN-ONE',
    ]) {
      expect(isKnown(header), String(header)).to.equal(false);
    }
  });

  it('opens to nobody without tokens', () => {
    expect(createTokenCheck([])('Bearer ')).to.equal(false);
    expect(parseTokenList(' , ')).to.deep.equal([]);
  });
});
