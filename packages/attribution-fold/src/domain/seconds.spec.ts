import { expect } from 'chai';
import { plusSeconds } from './seconds.ts';

describe('seconds of any number of digits', () => {
  it('are added to exactly, across zero too', () => {
    expect(plusSeconds('10', 5)).to.equal('15');
    expect(plusSeconds('0.1', 1)).to.equal('1.1');
    expect(plusSeconds('-0.25', 1)).to.equal('0.75');
    expect(plusSeconds('-1.25', 1)).to.equal('-0.25');
    expect(plusSeconds('-62167305540.25', 604_800)).to.equal('-62166700740.25');
    expect(plusSeconds(`1.${'0'.repeat(99)}1`, 1)).to.equal(`2.${'0'.repeat(99)}1`);
  });
});
