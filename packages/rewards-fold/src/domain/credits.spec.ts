import { expect } from 'chai';
import fc from 'fast-check';
import { divideHalfEven, formatCredits, parseCredits, roundTo } from './credits.ts';

describe('credits', () => {
  it('reads and writes decimals without a float in between', () => {
    const examples: [string, string][] = [
      ['10', '10'],
      ['2.50', '2.5'],
      ['0.000001', '0.000001'],
      ['-0.30', '-0.3'],
      ['999999999999999999.999999', '999999999999999999.999999'],
      ['1.0000000', '1'],
    ];
    for (const [text, canonical] of examples) {
      expect(formatCredits(parseCredits(text)), text).to.equal(canonical);
    }
  });

  it('refuses what is no decimal of at most six places', () => {
    for (const text of ['', '.5', '1.', '1e3', '0.0000001', 'NaN', '--1', ' 1']) {
      expect(() => parseCredits(text), text).to.throw('not an amount');
    }
  });

  it('rounds half-even to the scale of the campaign (design 7)', () => {
    const examples: [string, number, string][] = [
      ['2.5', 0, '2'],
      ['3.5', 0, '4'],
      ['-2.5', 0, '-2'],
      ['2.500001', 0, '3'],
      ['0.125', 2, '0.12'],
      ['0.135', 2, '0.14'],
      ['0.1', 6, '0.1'],
    ];
    for (const [text, scale, rounded] of examples) {
      expect(formatCredits(roundTo(scale, parseCredits(text))), text).to.equal(rounded);
    }
  });

  it('keeps every amount of six places through text, and never rounds further than half a step', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 24n), 10n ** 24n), (credits) => {
        expect(parseCredits(formatCredits(credits))).to.equal(credits);
      }),
    );
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(1n, 10n ** 12n), (numerator, denominator) => {
        const error = 2n * (divideHalfEven(numerator, denominator) * denominator - numerator);
        expect(error <= denominator && error >= -denominator).to.equal(true);
      }),
    );
  });
});
