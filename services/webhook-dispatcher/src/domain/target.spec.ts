import { expect } from 'chai';
import { parsePorts } from './allowed-ports.ts';
import { targetOf } from './target.ts';

const allowedPorts = parsePorts('80,443,8080,8443');
const production = { environment: 'prod', allowedPorts } as const;
const sandbox = { environment: 'sandbox', allowedPorts } as const;

describe('targetOf', () => {
  it('splits a URL into origin and path', () => {
    expect(targetOf('https://hooks.example.com:8443/a/b?c=d#e', production)).to.deep.equal({
      outcome: 'target',
      origin: 'https://hooks.example.com:8443',
      path: '/a/b?c=d',
    });
  });

  it('writes a host of any alphabet as DNS knows it', () => {
    expect(targetOf('https://bücher.example/', production)).to.include({
      origin: 'https://xn--bcher-kva.example',
    });
  });

  it('blocks http in production only', () => {
    expect(targetOf('http://example.com/', production).outcome).to.equal('blocked');
    expect(targetOf('http://example.com/', sandbox).outcome).to.equal('target');
  });

  it('blocks ports that are not allowed, in every spelling', () => {
    const urls = [
      'http://example.com:22/',
      'http://example.com:6379',
      'https://example.com:080022',
    ];
    for (const url of urls) expect(targetOf(url, sandbox).outcome, url).to.equal('blocked');
    for (const url of ['http://example.com:0080/', 'https://example.com:443/']) {
      expect(targetOf(url, sandbox).outcome, url).to.equal('target');
    }
  });

  it('blocks what is not http at all, user info, and nonsense', () => {
    const urls = [
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://example.com:80/',
      'javascript:alert(1)',
      'https://user:pw@example.com/',
      'https://user@example.com/',
      'https://@example.com:x/',
      'https://example.com:99999/',
      'https://1.2.3.400/',
      'https://0x100000000/',
      'https://[fe80::1%25eth0]/',
      'https://exa mple.com/',
      'https:///',
      'not a url',
      '',
    ];
    for (const url of urls) expect(targetOf(url, sandbox).outcome, url).to.equal('blocked');
  });

  it('says why', () => {
    expect(targetOf('https://user:pw@example.com/', sandbox)).to.deep.equal({
      outcome: 'blocked',
      reason: 'user info in the URL',
    });
  });
});
