import type { CampaignRule, Effect } from '@tributary/contracts/campaign-rule';
import { expect } from 'chai';
import { newUserDiscount, summarizeRules } from './rule-summaries.ts';

const fixed = (credits: string) => ({ kind: 'fixed', credits }) as const;
const percent = (basisPoints: number) =>
  ({ kind: 'percent', basisPoints, creditsPerMajorUnit: { EUR: '1', JPY: '0.01' } }) as const;
const rule = (about: Partial<CampaignRule>): CampaignRule => ({
  ruleId: 'r1',
  trigger: 'purchase-created',
  recipient: 'referrer',
  effect: fixed('5'),
  ...about,
});
const rewardOf = (effect: Effect) => summarizeRules([rule({ effect })])[0]?.reward;

describe('the rules of a campaign as the widget tells them', () => {
  it('say who gets what for what, and when', () => {
    const about = { conditions: { minimumSeats: 3 }, limits: { firstPurchases: 2 }, holdDays: 14 };
    expect(summarizeRules([rule(about)])).to.eql([
      {
        ruleId: 'r1',
        trigger: 'purchase-created',
        recipient: 'referrer',
        reward: { kind: 'fixed', credits: '5' },
        conditions: { minimumSeats: 3 },
        firstPurchases: 2,
        holdDays: 14,
      },
    ]);
  });

  it('are silent about conditions and limits that ask for nothing', () => {
    const [summary] = summarizeRules([rule({ conditions: {}, limits: { months: 3 } })]);
    expect(summary).to.have.all.keys('ruleId', 'trigger', 'recipient', 'reward', 'holdDays');
    expect(summary?.holdDays).to.equal(0);
  });

  it('are two where both get something', () => {
    const both = rule({ recipient: 'both', effect: fixed('5'), newUserEffect: fixed('2') });
    const summary = summarizeRules([both]).map(({ recipient, reward }) => ({ recipient, reward }));
    expect(summary).to.eql([
      { recipient: 'referrer', reward: fixed('5') },
      { recipient: 'new-user', reward: fixed('2') },
    ]);
  });

  it('write a percentage as an exact decimal', () => {
    const percentages = [1, 10, 1_250, 2_000, 333, 1_000_000].map((points) => {
      const reward = rewardOf(percent(points));
      return reward?.kind === 'percent' ? reward.percent : undefined;
    });
    expect(percentages).to.eql(['0.01', '0.1', '12.5', '20', '3.33', '10000']);
    expect(rewardOf(percent(1))).to.deep.include({
      creditsPerMajorUnit: { EUR: '1', JPY: '0.01' },
    });
  });

  it('name the lowest and the highest tier, in whatever order they are kept', () => {
    const tiers = [
      { fromCount: 10, effect: percent(3_000) },
      { fromCount: 1, effect: fixed('5') },
      { fromCount: 5, effect: percent(2_000) },
    ];
    expect(rewardOf({ kind: 'tiered', tiers })).to.eql({
      kind: 'tiered',
      tiers: [
        { fromCount: 1, credits: '5' },
        { fromCount: 10, percent: '30' },
      ],
    });
    expect(rewardOf({ kind: 'tiered', tiers: tiers.slice(1, 2) })).to.eql({
      kind: 'tiered',
      tiers: [{ fromCount: 1, credits: '5' }],
    });
  });
});

describe('the discount of a new user', () => {
  it('is a fraction, with or without an end', () => {
    expect(newUserDiscount({ newUserDiscountBasisPoints: 1_000 })).to.eql({
      percentage: 0.1,
      months: null,
    });
    expect(newUserDiscount({ newUserDiscountBasisPoints: 1_234, newUserDiscountMonth: 3 })).to.eql({
      percentage: 0.1234,
      months: 3,
    });
  });

  it('is none when the campaign gives none, or for no months', () => {
    expect(newUserDiscount({})).to.equal(null);
    expect(newUserDiscount({ newUserDiscountBasisPoints: 0 })).to.equal(null);
    expect(newUserDiscount({ newUserDiscountMonth: 3 })).to.equal(null);
    expect(newUserDiscount({ newUserDiscountBasisPoints: 5, newUserDiscountMonth: 0 })).to.equal(
      null,
    );
  });
});
