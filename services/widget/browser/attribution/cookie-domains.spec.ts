import { expect } from 'chai';
import { cookieDomains } from './cookie-domains.ts';

describe('the domains that a cookie is tried for', () => {
  for (const [host, domains] of [
    ['acme.example', ['acme.example']],
    ['www.acme.example', ['acme.example', 'www.acme.example']],
    ['shop.acme.co.uk', ['co.uk', 'acme.co.uk', 'shop.acme.co.uk']],
    ['localhost', []],
    ['127.0.0.1', []],
    ['[::1]', []],
    ['', []],
  ] as const) {
    it(`of ${host || 'no host'} are ${domains.join(', ') || 'none'}`, () => {
      expect(cookieDomains(host)).to.deep.equal(domains);
    });
  }
});
