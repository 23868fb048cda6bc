import { expect } from 'chai';
import {
  haveCommonOrigins,
  isOriginOfDomain,
  needsNoProof,
  readDomain,
} from './registered-domain.ts';

describe('a registered domain (interface 4.7 rule 6)', () => {
  for (const [text, domain] of [
    ['acme.example', 'acme.example'],
    ['WWW.Acme.Example', 'www.acme.example'],
    ['*.acme.example', '*.acme.example'],
    ['localhost:8310', 'localhost:8310'],
    ['127.0.0.1:8310', '127.0.0.1:8310'],
    ['[::1]:8310', '[::1]:8310'],
    ['acme.example:443', 'acme.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
  ] as const) {
    it(`${text} is kept as ${domain}`, () => {
      expect(readDomain(text)).to.deep.equal({ outcome: 'domain', domain });
    });
  }

  for (const text of [
    ...['', 'https://acme.example', 'acme.example/join', 'acme.example?x', 'a b.example', '*'],
    ...[
      '*.example',
      '*.*.acme.example',
      'user@acme.example',
      '*.127.0.0.1',
      'acme.example.',
      ':80',
    ],
    ...['a.*.example', 'acme.example\n', `${'a'.repeat(63)}.`.repeat(5) + 'example'],
  ]) {
    it(`${JSON.stringify(text.slice(0, 30))} is refused with what would be right`, () => {
      const reading = readDomain(text);
      if (reading.outcome !== 'wrong') expect.fail(JSON.stringify(reading));
      expect(reading.detail).to.include('shop.example');
    });
  }

  const matches = (origin: string, domain: string) => isOriginOfDomain(origin, domain, 'prod');

  it('is met by its own origin alone', () => {
    expect(matches('https://acme.example', 'acme.example')).to.equal(true);
    expect(matches('https://www.acme.example', 'acme.example')).to.equal(false);
    expect(matches('https://evilacme.example', 'acme.example')).to.equal(false);
    expect(matches('https://acme.example.evil.example', 'acme.example')).to.equal(false);
    expect(matches('https://acme.example:8443', 'acme.example')).to.equal(false);
    expect(matches('https://acme.example:8443', 'acme.example:8443')).to.equal(true);
  });

  it('with *. is met by what is below it, at any depth, and not by itself', () => {
    expect(matches('https://www.acme.example', '*.acme.example')).to.equal(true);
    expect(matches('https://a.b.acme.example', '*.acme.example')).to.equal(true);
    expect(matches('https://acme.example', '*.acme.example')).to.equal(false);
    expect(matches('https://evilacme.example', '*.acme.example')).to.equal(false);
  });

  it('is met over http in the sandbox only', () => {
    expect(matches('http://acme.example', 'acme.example')).to.equal(false);
    expect(isOriginOfDomain('http://acme.example', 'acme.example', 'sandbox')).to.equal(true);
  });

  it('is not met by what is no origin', () => {
    for (const origin of [
      'null',
      '',
      'https://acme.example/',
      'file://',
      'data:x',
      'acme.example',
    ]) {
      expect(isOriginOfDomain(origin, 'acme.example', 'sandbox'), origin).to.equal(false);
    }
  });

  it('needs no proof at the sandbox when it can be nobody’s, and always at production', () => {
    for (const domain of [
      'localhost:3000',
      '127.0.0.1',
      '[::1]:80',
      'a.test',
      '*.b.example:8443',
    ]) {
      expect(needsNoProof(domain, 'sandbox'), domain).to.equal(true);
      expect(needsNoProof(domain, 'prod'), domain).to.equal(false);
    }
    for (const domain of ['example.com', 'a.example.com', 'localhost.com', '128.0.0.1', 'mytest']) {
      expect(needsNoProof(domain, 'sandbox'), domain).to.equal(false);
    }
  });

  for (const [one, other, common] of [
    ['shop.example', 'shop.example', true],
    ['www.shop.example', '*.shop.example', true],
    ['*.eu.shop.example', '*.shop.example', true],
    ['shop.example', '*.shop.example', false],
    ['shop.example', 'shop.example:8443', false],
    ['*.shop.example', '*.myshop.example', false],
  ] as const) {
    it(`of ${one} ${common ? 'shares a page' : 'shares no page'} with ${other}`, () => {
      expect(haveCommonOrigins(one, other)).to.equal(common);
      expect(haveCommonOrigins(other, one)).to.equal(common);
    });
  }
});
