import { expect } from 'chai';
import fc from 'fast-check';
import { roundHalfUp } from './round-half-up.ts';

describe('roundHalfUp (design 8, "Legacy")', () => {
  const cases: [string, bigint, boolean][] = [
    ['4900', 4900n, false],
    ['4900.0', 4900n, false],
    ['49.5', 50n, true],
    ['49.49999999999999999999', 49n, true],
    ['0.5', 1n, true],
    ['.5', 1n, true],
    ['5.', 5n, false],
    ['4.95e1', 50n, true],
    ['1e2', 100n, false],
    ['4e-1', 0n, true],
    ['4e-3', 0n, true],
    ['5e-2', 0n, true],
    ['-0', 0n, false],
    [' 12 ', 12n, false],
    ['9007199254740993', 9007199254740993n, false],
  ];
  for (const [text, value, rounded] of cases) {
    it(`reads ${text} as ${value}`, () => {
      expect(roundHalfUp(text)).to.deep.equal({ value, rounded });
    });
  }

  it('refuses what is negative or no number', () => {
    const odd = ['', '-1', '-0.5', 'abc', '1,5', '0x10', 'NaN', '1e9999', '.', '--1', '1 000'];
    expect(odd.map((text) => roundHalfUp(text))).to.deep.equal(odd.map(() => undefined));
  });

  it('agrees with whole cents for any amount in hundredths', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), (hundredths) => {
        const text = `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`;
        expect(roundHalfUp(text)?.value).to.equal((hundredths + 50n) / 100n);
      }),
    );
  });
});
