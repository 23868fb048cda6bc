import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import { always } from '@tributary/contracts/revision-in-force';
import { expect } from 'chai';
import { draftOf, ruleOf } from '../../testing/campaigns.ts';
import { describeCampaign } from './describe-campaign.ts';
import { describeRule } from './describe-rule.ts';

const rules: [what: string, rule: Partial<CampaignRule>, sentences: string[]][] = [
  [
    'fixed credits',
    {},
    [
      'For each purchase of a referred user, the referrer gets 10 credits.',
      'The credits are sent at once.',
      'A refund takes back the refunded share of the credits.',
    ],
  ],
  [
    'a held signup, one credit for the new user',
    {
      trigger: 'signup-created',
      recipient: 'new-user',
      effect: { kind: 'fixed', credits: '1' },
      holdDays: 1,
    },
    [
      'For the signup of a referred user, the new user gets 1 credit.',
      'The credits are held for 1 day after the event was received, then sent.',
    ],
  ],
  [
    'both sides of a demo',
    {
      trigger: 'demo-attended',
      recipient: 'both',
      newUserEffect: { kind: 'fixed', credits: '2.50' },
    },
    [
      'For an attended demo of a referred user, the referrer gets 10 credits; the new user gets 2.50 credits.',
      'The credits are sent at once.',
    ],
  ],
  [
    'a share, with limits and conditions',
    {
      effect: {
        kind: 'percent',
        basisPoints: 1250,
        creditsPerMajorUnit: { EUR: '1', JPY: '0.006', USD: '0.9' },
      },
      conditions: {
        intervals: ['monthly', 'yearly'],
        productKeys: ['team'],
        currencies: ['EUR', 'JPY'],
        minimumAmounts: { EUR: 1000, JPY: 500 },
        minimumSeats: 5,
      },
      limits: {
        firstPurchases: 3,
        months: 12,
        perRecipient: [
          { period: 'month', credits: '100', count: 1 },
          { period: 'lifetime', count: 50 },
        ],
      },
      refundPolicy: 'full',
      holdDays: 14,
    },
    [
      'For each purchase of a referred user, the referrer gets 12.5 % of the amount: 12.5 credits for 100 EUR and 0.08 credits for 100 JPY.',
      'Only when the interval is monthly or yearly, the product key is "team", the currency is EUR or JPY, the amount is at least 10.00 EUR or 500 JPY (other currencies do not count) and it reports at least 5 seats.',
      'Only the first 3 purchases of each referred user count.',
      'It counts until 12 months after the first attributed event of the referred user.',
      'A referrer gets by this rule at most 100 credits and 1 reward per calendar month and 50 rewards in all, by the UTC time at which things occurred; the last reward is cut to what is left.',
      'The credits are held for 14 days after the event was received, then sent.',
      'The first refund of a purchase, however small, takes back all of its credits.',
    ],
  ],
  [
    'tiers, and credits that stay',
    {
      effect: {
        kind: 'tiered',
        tiers: [
          { fromCount: 1, effect: { kind: 'fixed', credits: '10' } },
          { fromCount: 3, effect: { kind: 'fixed', credits: '20' } },
          {
            fromCount: 22,
            effect: { kind: 'percent', basisPoints: 100, creditsPerMajorUnit: { EUR: '1' } },
          },
        ],
      },
      limits: { firstPurchases: 1 },
      refundPolicy: 'keep',
    },
    [
      'For each purchase of a referred user, the referrer gets more with the number of users they have referred who purchased (and were not fully refunded): up to the 2nd 10 credits; from the 3rd on up to the 21st 20 credits; from the 22nd on 1 % of the amount: 1 credit for 100 EUR (other currencies earn nothing).',
      'Only the first purchase of each referred user counts.',
      'The credits are sent at once.',
      'A refund takes nothing back.',
    ],
  ],
];

describe('describeRule', () => {
  for (const [what, rule, sentences] of rules) {
    it(`says in sentences what is paid: ${what}`, () => {
      expect(describeRule(ruleOf(rule), 2)).to.deep.equal(sentences);
    });
  }

  it('names five currencies and counts the rest', () => {
    const currencies = ['EUR', 'USD', 'GBP', 'CHF', 'SEK', 'NOK', 'DKK'];
    const creditsPerMajorUnit = Object.fromEntries(currencies.map((code) => [code, '1']));
    const effect = { kind: 'percent', basisPoints: 1000, creditsPerMajorUnit } as const;
    expect(describeRule(ruleOf({ effect }), 0)[0]).to.contain(
      '10 credits for 100 SEK and so on for 2 more currencies (other currencies earn nothing)',
    );
  });

  it('rounds examples half-even to the scale, as rewards are', () => {
    const first = (basisPoints: number, scale: number) =>
      describeRule(
        ruleOf({ effect: { kind: 'percent', basisPoints, creditsPerMajorUnit: { EUR: '1' } } }),
        scale,
      )[0]?.match(/: (.*) for 100 EUR/)?.[1];
    expect(first(50, 0)).to.equal('0 credits');
    expect(first(150, 0)).to.equal('2 credits');
    expect(first(250, 0)).to.equal('2 credits');
    expect(first(251, 0)).to.equal('3 credits');
    expect(first(1, 6)).to.equal('0.01 credits');
  });
});

describe('describeCampaign', () => {
  const sentences = (change: Parameters<typeof draftOf>[0]) =>
    describeCampaign(draftOf(change)).campaign;

  it('says what holds when nothing is said', () => {
    expect(sentences({})).to.deep.equal([
      'The campaign is running.',
      'It holds for what occurs from the moment it is put; the first revision of a campaign for everything, whenever it occurred.',
      'Purchases are attributed however late they come.',
      'Users who were there before they were referred count as well.',
      'When two users refer each other, only the direction that came first counts.',
      'Every rule that matches applies.',
      'Credits have up to 2 decimals; halves are rounded to the even digit.',
    ]);
  });

  it('says every setting in its own words', () => {
    const text = sentences({
      status: 'stopped',
      effectiveFrom: '2030-01-01T00:00:00.000Z',
      creditScale: 0,
      attributionWindowDays: 90,
      existingUsers: 'exclude',
      referralLoops: 'review',
      ruleMatching: 'first',
      newUserDiscountBasisPoints: 1000,
      newUserDiscountMonth: 3,
    });
    expect(text).to.have.length(8);
    for (const [i, part] of [
      'stopped: events',
      'from 2030-01-01T00:00:00.000Z on',
      'until 90 days after the first event',
      'do not count',
      'wait for an operator',
      'only the first of the list',
      'whole numbers',
      'a discount of 10 % for 3 months',
    ].entries()) {
      expect(text[i]).to.contain(part);
    }
    expect(sentences({ effectiveFrom: always })[1]).to.contain('whenever it occurred');
  });

  it('goes through the rules in their order', () => {
    const rules = [ruleOf({ ruleId: 'b' }), ruleOf({ ruleId: 'a' })];
    const described = describeCampaign(draftOf({ rules })).rules;
    expect(described.map(({ ruleId }) => ruleId)).to.deep.equal(['b', 'a']);
    expect(described[0]?.sentences).to.deep.equal(describeRule(rules[0]!, 2));
  });
});
