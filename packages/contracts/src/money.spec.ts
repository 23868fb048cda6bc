import { expect } from 'chai';
import { formatMoney } from './money.ts';

describe('money in words', () => {
  it('has the decimals of its currency (ISO 4217)', () => {
    const examples: [number, string, string][] = [
      [4900, 'EUR', '49.00 EUR'],
      [5, 'EUR', '0.05 EUR'],
      [4900, 'JPY', '4900 JPY'],
      [1, 'BHD', '0.001 BHD'],
      [12_345, 'CLF', '1.2345 CLF'],
      [Number.MAX_SAFE_INTEGER, 'EUR', '90071992547409.91 EUR'],
      [7, 'DEM', '7 DEM (minor units)'],
    ];
    for (const [amount, currency, expected] of examples) {
      expect(formatMoney(amount, currency)).to.equal(expected);
    }
  });
});
