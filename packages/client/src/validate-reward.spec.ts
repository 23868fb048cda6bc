import { expect } from 'chai';
import { validateReward } from './validate-reward.ts';

describe('validating a webhook (6.1 receiver rules)', () => {
  const data = {
    rewardId: 'r1',
    productUserId: 'u1',
    rewardType: 'credits',
    reward: { amount: 2.5 },
  };
  const webhook = { version: '1.0.0', eventType: 'new-reward', createdTs: '', eventId: 'e1', data };

  it('grants the credits of a new reward (rule 4)', () => {
    expect(validateReward(webhook)).to.deep.equal({
      verdict: 'grant',
      reward: {
        ...{ eventId: 'e1', rewardId: 'r1', productUserId: 'u1', amount: 2.5 },
        payload: webhook,
      },
    });
  });

  it('grants also with members and a version that are not known yet', () => {
    const newer = { ...webhook, version: '1.1.0', more: 1, data: { ...data, more: 1 } };
    expect(validateReward(newer).verdict).to.equal('grant');
  });

  for (const [what, other] of [
    ['another eventType', { ...webhook, eventType: 'reward-reversed' }],
    ['another eventType without any of our fields', { eventType: 'campaign-ended' }],
    ['no eventType', { ...webhook, eventType: undefined }],
    ['another rewardType', { ...webhook, data: { ...data, rewardType: 'cash' } }],
    ['another rewardType without any of our fields', { ...webhook, data: { rewardType: 'cash' } }],
    ['no rewardType', { ...webhook, data: { ...data, rewardType: undefined } }],
  ] as const) {
    it(`ignores ${what} (rule 2)`, () => {
      expect(validateReward(other)).to.deep.equal({ verdict: 'ignored' });
    });
  }

  for (const [reason, bad] of [
    ['eventId is missing', { ...webhook, eventId: undefined }],
    ['eventId is missing', { ...webhook, eventId: '' }],
    ['eventId is missing', { ...webhook, eventId: 7 }],
    ['data.rewardId is missing', { ...webhook, data: { ...data, rewardId: undefined } }],
    ['data.productUserId is missing', { ...webhook, data: { ...data, productUserId: null } }],
    ...['5', null, undefined, true, NaN, Infinity, [5]].map(
      (amount) =>
        [
          'data.reward.amount is not a number',
          { ...webhook, data: { ...data, reward: { amount } } },
        ] as const,
    ),
    ['data.reward.amount is not a number', { ...webhook, data: { ...data, reward: 5 } }],
  ] as const) {
    it(`refuses it when ${reason} (rule 3): ${JSON.stringify(bad)}`, () => {
      expect(validateReward(bad)).to.deep.equal({ verdict: 'bad', reason });
    });
  }

  it('refuses a body that is no JSON object', () => {
    for (const body of [undefined, null, [], [webhook], 'new-reward', 7]) {
      expect(validateReward(body).verdict).to.equal('bad');
    }
  });
});
