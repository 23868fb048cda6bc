import { expect } from 'chai';
import { targetOf } from './target.ts';

describe('targetOf', () => {
  it('splits a URL into origin and path', () => {
    expect(targetOf('https://hooks.example.com:8443/a/b?c=d', 'prod')).to.deep.equal({
      outcome: 'target',
      origin: 'https://hooks.example.com:8443',
      path: '/a/b?c=d',
    });
  });

  it('blocks http in production only', () => {
    expect(targetOf('http://example.com/', 'prod').outcome).to.equal('blocked');
    expect(targetOf('http://example.com/', 'sandbox').outcome).to.equal('target');
  });

  it('blocks what is not http at all, user info, and nonsense', () => {
    for (const url of ['ftp://example.com/', 'https://user:pw@example.com/', 'not a url', '']) {
      expect(targetOf(url, 'sandbox').outcome, url).to.equal('blocked');
    }
  });
});
