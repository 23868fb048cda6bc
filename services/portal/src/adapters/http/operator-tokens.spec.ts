import { expect } from 'chai';
import { createOperatorCheck, parseOperatorTokens } from './operator-tokens.ts';

describe('operator tokens', () => {
  const isOperator = createOperatorCheck(['token-one', 'token-two']);

  it('takes each token, with the scheme in any case (RFC 6750)', () => {
    for (const header of ['Bearer token-one', 'bearer token-two', 'BEARER  token-one']) {
      expect(isOperator(header), header).to.equal(true);
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
      expect(isOperator(header), String(header)).to.equal(false);
    }
  });

  it('opens to nobody without tokens', () => {
    expect(createOperatorCheck([])('Bearer ')).to.equal(false);
    expect(parseOperatorTokens(' , ')).to.deep.equal([]);
  });
});
