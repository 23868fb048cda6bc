import { expect } from 'chai';
import { currencyCodes, minorUnitExponent } from './currency.ts';

describe('currency list (interface 2.4, design 8)', () => {
  it('holds the 178 codes of the stated date, sorted, once each', () => {
    expect(currencyCodes).to.have.length(178);
    expect([...new Set(currencyCodes)].sort()).to.eql(currencyCodes);
    for (const code of currencyCodes) expect(code).to.match(/^[A-Z]{3}$/);
  });

  it('has the newest codes, funds and X-codes, and none that is history', () => {
    for (const code of 'XCG ZWG VED SLE XAD XAU XXX XTS CHE UYW USN'.split(' ')) {
      expect(minorUnitExponent(code), code).to.be.a('number');
    }
    for (const code of 'ANG BGN HRK CUC SLL ZWL DEM usd __proto__'.split(' ')) {
      expect(minorUnitExponent(code), code).to.equal(undefined);
    }
  });

  it('knows exponents 0, 2, 3 and 4', () => {
    expect(['JPY', 'EUR', 'BHD', 'CLF', 'XAU'].map(minorUnitExponent)).to.eql([0, 2, 3, 4, 0]);
  });
});
