import { expect } from 'chai';
import { change, counted, credits } from './numbers.ts';

describe('numbers of a replay', () => {
  it('counts with separators', () => {
    expect(counted(1_234_567, 'events')).to.equal('1,234,567 events');
    expect(counted(0)).to.equal('0');
  });

  it('writes credits as exact as they are, however many digits they have', () => {
    expect(credits('12345678901234567890.123456')).to.equal('12,345,678,901,234,567,890.123456');
    expect(['0', '-1000', '999', '0.5'].map(credits)).to.deep.equal(['0', '-1,000', '999', '0.5']);
  });

  it('subtracts without floats', () => {
    expect(change('0.1', '0.3')).to.equal('+0.2');
    expect(change('10', '2.5')).to.equal('-7.5');
    expect(change('2.50', '2.5')).to.equal('0');
    expect(change('0', '1000')).to.equal('+1,000');
    expect(change('9007199254740993', '9007199254740992.000001')).to.equal('-0.999999');
    expect(change('-3', '4')).to.equal('+7');
  });
});
