import { expect } from 'chai';
import { judgeWebhook } from './judge-webhook.ts';

describe('judging a webhook (6.1 receiver rules)', () => {
  const data = {
    rewardId: 'r1',
    productUserId: 'u1',
    rewardType: 'credits',
    reward: { amount: 5 },
  };
  const webhook = { version: '1.0.0', eventType: 'new-reward', eventId: 'e1', data };

  it('grants the credits of a new reward (rule 4)', () => {
    expect(judgeWebhook(webhook)).to.deep.equal({
      verdict: 'grant',
      grant: { eventId: 'e1', rewardId: 'r1', productUserId: 'u1', amount: 5 },
    });
  });

  it('ignores another eventType or rewardType (rule 2)', () => {
    const otherEvent = { ...webhook, eventType: 'reward-reversed' };
    const otherReward = { ...webhook, data: { ...data, rewardType: 'cash' } };
    for (const other of [otherEvent, otherReward]) {
      expect(judgeWebhook(other).verdict).to.equal('ignored');
    }
  });

  it('refuses a missing eventId, rewardId or productUserId (rule 3)', () => {
    const { eventId: _eventId, ...withoutEvent } = webhook;
    const withoutReward = { ...webhook, data: { ...data, rewardId: undefined } };
    const withoutUser = { ...webhook, data: { ...data, productUserId: undefined } };
    for (const incomplete of [withoutEvent, withoutReward, withoutUser]) {
      expect(judgeWebhook(incomplete).verdict).to.equal('bad');
    }
  });

  it('refuses an amount that is not a number (rule 3)', () => {
    const odd = { ...webhook, data: { ...data, reward: { amount: '5' } } };
    expect(judgeWebhook(odd).verdict).to.equal('bad');
  });

  it('refuses a body that is no JSON object', () => {
    for (const body of [undefined, null, [], 'new-reward']) {
      expect(judgeWebhook(body).verdict).to.equal('bad');
    }
  });
});
