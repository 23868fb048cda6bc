import { currencyCodes, minorUnitExponent } from '@tributary/contracts/currency';
import { expect } from 'chai';
import { minorUnitDigits } from './minor-units.ts';

describe('minor units in the browser', () => {
  it('are those of the contract, for every currency of its list', () => {
    const browser = currencyCodes.map((code) => [code, minorUnitDigits(code)]);
    expect(browser).to.deep.equal(currencyCodes.map((code) => [code, minorUnitExponent(code)]));
  });
});
