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
  ]) {
    it(`takes ${contentType}`, () => {
      expect(isPlainJson({ 'content-type': contentType })).to.equal(true);
    });
  }

  for (const contentType of [
    undefined,
    '',
    'text/plain',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/problem+json',
    'application/jsonp',
    'application/json, application/json',
    'application/x-www-form-urlencoded',
  ]) {
    it(`refuses ${contentType}`, () => {
      expect(
        isPlainJson(contentType === undefined ? {} : { 'content-type': contentType }),
      ).to.equal(false);
    });
  }

  it('refuses any content encoding, identity too', () => {
    for (const encoding of ['gzip', 'identity']) {
      expect(
        isPlainJson({ 'content-type': 'application/json', 'content-encoding': encoding }),
      ).to.equal(false);
    }
  });
});
