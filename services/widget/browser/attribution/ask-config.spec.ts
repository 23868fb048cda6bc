import { expect } from 'chai';
import { readAnswer } from './ask-config.ts';

describe('the answer of the service', () => {
  it('is taken as it is', () => {
    const answer = {
      campaignConfig: { campaignId: 'c', newUserDiscountMonth: 3, newUserDiscountPercentage: 0.1 },
      referrerName: 'Ada',
      windowDays: 30,
    };
    expect(readAnswer(answer)).to.deep.equal(answer);
  });

  for (const answer of [
    null,
    'text',
    7,
    [],
    {},
    { campaignConfig: null, referrerName: '', windowDays: 0 },
    { campaignConfig: 'c', referrerName: { first: 'Ada' }, windowDays: '30' },
    { windowDays: -1 },
    { windowDays: 1.5 },
  ]) {
    it(`is empty when it is ${JSON.stringify(answer)}`, () => {
      expect(readAnswer(answer)).to.deep.equal({});
    });
  }
});
