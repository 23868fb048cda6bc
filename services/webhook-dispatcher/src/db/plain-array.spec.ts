import { expect } from 'chai';
import { plainArray } from './plain-array.ts';

describe('a plain array', () => {
  it('holds ids, numbers, times, booleans and nulls', () => {
    const id = '018f2f9e-7e54-5b0c-8d3a-6c9f1b2a3d4e';
    expect(plainArray([id, id])).to.equal(`{${id},${id}}`);
    expect(plainArray([1, null, -2.5])).to.equal('{1,NULL,-2.5}');
    expect(plainArray([true, undefined])).to.equal('{true,NULL}');
    expect(plainArray([new Date(0)])).to.equal('{1970-01-01T00:00:00.000Z}');
    expect(plainArray(['no-endpoint', 'dns_error'])).to.equal('{no-endpoint,dns_error}');
    expect(plainArray([])).to.equal('{}');
  });

  for (const text of ['a,b', 'a"', 'a b', '{}', '\\', '', 'ä', 'a\n']) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => plainArray(['a', text])).to.throw('not plain');
    });
  }
});
