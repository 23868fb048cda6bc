import { expect } from 'chai';
import { referralLink } from './referral-link.ts';

describe('referralLink', () => {
  it('adds productId and ucc to a plain address', () => {
    expect(referralLink('https://example.com/join', 'p1', 'abc')).to.equal(
      'https://example.com/join?productId=p1&ucc=abc',
    );
  });

  it('goes on after an existing query', () => {
    expect(referralLink('https://example.com/?plan=a%20b', 'p1', 'abc')).to.equal(
      'https://example.com/?plan=a%20b&productId=p1&ucc=abc',
    );
  });

  it('puts no second separator behind an open query', () => {
    expect(referralLink('https://example.com/?', 'p1', 'abc')).to.equal(
      'https://example.com/?productId=p1&ucc=abc',
    );
    expect(referralLink('https://example.com/?a=1&', 'p1', 'abc')).to.equal(
      'https://example.com/?a=1&productId=p1&ucc=abc',
    );
  });

  it('keeps a fragment behind the query', () => {
    expect(referralLink('https://example.com/join#plans', 'p1', 'abc')).to.equal(
      'https://example.com/join?productId=p1&ucc=abc#plans',
    );
  });

  it('escapes a custom code, so that it reads back as it was', () => {
    const link = referralLink('https://example.com/', 'p1', 'été & co=1#?');
    expect(new URL(link).searchParams.get('ucc')).to.equal('été & co=1#?');
  });
});
