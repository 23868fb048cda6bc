import { expect } from 'chai';
import fc from 'fast-check';
import { addDecimals, formatDecimal, fromMinorUnits } from './amounts.ts';

describe('amounts', () => {
  it('are shown digit for digit, in the form of the language', () => {
    expect(formatDecimal('1234567.50', 'en')).to.equal('1,234,567.50');
    expect(formatDecimal('-1234567.50', 'de')).to.equal('−1.234.567,50');
    expect(formatDecimal('9007199254740993', 'en')).to.equal('9,007,199,254,740,993');
    expect(formatDecimal('0', 'en')).to.equal('0');
    expect(formatDecimal('no number', 'en')).to.equal('no number');
  });

  it('lose no digit, whatever they are', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(6), (units, exponent) => {
        const text = fromMinorUnits(units, exponent);
        const digits = formatDecimal(text, 'en').replace(/[,.]/g, '').replace('−', '-');
        expect(BigInt(digits)).to.equal(units);
      }),
    );
  });

  it('come from minor units with any number of digits behind the point', () => {
    expect(fromMinorUnits('9007199254740991', 0)).to.equal('9007199254740991');
    expect(fromMinorUnits('9007199254740991', 3)).to.equal('9007199254740.991');
    expect(fromMinorUnits('-5', 2)).to.equal('-0.05');
  });

  it('are added exactly', () => {
    expect(addDecimals(['0.1', '0.2', '-1'])).to.equal('-0.7');
    expect(addDecimals(['9007199254740993', '0.001'])).to.equal('9007199254740993.001');
    expect(addDecimals(['-0.5', '0.25'])).to.equal('-0.25');
    expect(addDecimals([])).to.equal('0');
  });
});
