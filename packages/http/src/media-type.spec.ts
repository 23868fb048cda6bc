import { expect } from 'chai';
import { isPlainJson } from './media-type.ts';

describe('media type of a body (design 8, 415)', () => {
  for (const contentType of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; charset=utf-8 ; profile=x',
    'application/json;',
    'application/json; ; charset=utf-8',
    'application/json; profile="a;charset=latin1\\""',
  ]) {
    it(`takes ${contentType}`, () => {
      expect(isPlainJson(sent(contentType))).to.equal(true);
    });
  }

  for (const contentType of [
    undefined,
    '',
    'text/plain',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset="utf-8',
    'application/json; charset=utf-8"',
    'application/json; charset',
    'application/json; charset=',
    'application/problem+json',
    'application/jsonp',
    'application/json, application/json',
    'application/x-www-form-urlencoded',
  ]) {
    it(`refuses ${contentType}`, () => {
      expect(isPlainJson(contentType === undefined ? sent() : sent(contentType))).to.equal(false);
    });
  }

  it('refuses any content encoding, identity too', () => {
    for (const encoding of ['gzip', 'identity', '']) {
      const rawHeaders = ['content-type', 'application/json', 'CONTENT-ENCODING', encoding];
      expect(isPlainJson({ rawHeaders })).to.equal(false);
    }
  });

  it('takes a type that is repeated, and refuses one that another line contradicts', () => {
    const json = 'application/json';
    expect(isPlainJson(sent(json, `${json}; charset=utf-8`))).to.equal(true);
    expect(isPlainJson(sent(json, 'text/plain'))).to.equal(false);
    expect(isPlainJson(sent('text/plain', json))).to.equal(false);
  });

  it('refuses 16 KiB of empty parameters as fast as anything else', () => {
    const before = process.threadCpuUsage();
    expect(isPlainJson(sent(`application/json${'; '.repeat(8_000)}"`))).to.equal(false);
    expect(process.threadCpuUsage(before).user).to.be.below(100_000);
  });

  const sent = (...types: string[]) => ({
    rawHeaders: ['Host', 'x', ...types.flatMap((type) => ['Content-Type', type])],
  });
});
