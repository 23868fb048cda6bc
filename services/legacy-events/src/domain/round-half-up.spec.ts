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
    ['1E+0002', 100n, false],
    ['0e999999999999', 0n, false],
    ['-0.00', 0n, false],
    ['7e-999999999999', 0n, true],
    [`0.${'0'.repeat(600)}25e601`, 3n, true],
    [`${'0'.repeat(600)}25`, 25n, false],
    ['1e1000', 10n ** 1000n, false],
  ];
  for (const [text, value, rounded] of cases) {
    it(`reads ${short(text)} as ${short(String(value))}`, () => {
      expect(roundHalfUp(text)).to.deep.equal({ value, rounded });
    });
  }

  it('refuses what is negative or no number', () => {
    const odd = ['', '-1', '-0.5', '-1e-9', 'abc', '1,5', '0x10', 'NaN', 'Infinity', '.', '--1'];
    odd.push('1 000', '1_000', '1e', 'e1', '1e1.5', '٣', '1n', ' ');
    expect(odd.map((text) => roundHalfUp(text))).to.deep.equal(odd.map(() => undefined));
  });

  it('refuses an exponent that would fill the memory', () => {
    for (const text of ['1e9999', '1e999999999', `1e${'9'.repeat(1_000)}`]) {
      expect(roundHalfUp(text)).to.equal(undefined);
    }
  });

  it('reads 64 KiB of digits', () => {
    expect(roundHalfUp('9'.repeat(65_000))?.value).to.equal(10n ** 65_000n - 1n);
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

function short(text: string): string {
  return text.length > 40 ? `${text.slice(0, 20)}…${text.slice(-10)}` : text;
}
