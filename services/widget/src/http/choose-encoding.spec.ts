import { expect } from 'chai';
import { chooseEncoding } from './choose-encoding.ts';

describe('the encoding of an asset (RFC 9110, 12.5.3)', () => {
  const cases: [string | undefined, string][] = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['deflate', 'identity'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['gzip;q=0.5', 'gzip'],
    ['br ; q=0.001', 'br'],
    ['br;q=x', 'identity'],
    ['x-br', 'identity'],
    [',,', 'identity'],
  ];
  for (const [accepted, encoding] of cases) {
    it(`is ${encoding} for ${JSON.stringify(accepted)}`, () =>
      expect(chooseEncoding(accepted)).to.equal(encoding));
  }
});
