import type { CampaignRule, PercentEffect } from '@tributary/contracts/campaign-rule';
import { expect } from 'chai';
import { ruleOf } from '../../testing/campaigns.ts';
import { validateDiscount, validateRules } from './validate-rules.ts';

const fixed = (credits: string) => ({ kind: 'fixed', credits }) as const;
const share = (...currencies: string[]): PercentEffect => ({
  kind: 'percent',
  basisPoints: 1000,
  creditsPerMajorUnit: Object.fromEntries(currencies.map((currency) => [currency, '0.006125'])),
});
const tiers = (...counts: number[]) => ({
  kind: 'tiered' as const,
  tiers: counts.map((fromCount) => ({ fromCount, effect: fixed('1') })),
});
type Case = [what: string, rule: Partial<CampaignRule>, expected: [string, string][]];

const cases: Case[] = [
  ['a plain rule', {}, []],
  [
    'credits finer than the scale of 2',
    { effect: fixed('1.005') },
    [['/effect/credits', 'OUT_OF_RANGE']],
  ],
  ['credits as fine as the scale', { effect: fixed('1.05') }, []],
  [
    'fine credits in a tier',
    { effect: { kind: 'tiered', tiers: [{ fromCount: 1, effect: fixed('0.001') }] } },
    [['/effect/tiers/0/effect/credits', 'OUT_OF_RANGE']],
  ],
  [
    'fine credits for the new user',
    { recipient: 'both', newUserEffect: fixed('0.001') },
    [['/newUserEffect/credits', 'OUT_OF_RANGE']],
  ],
  [
    'a limit finer than the scale',
    { limits: { perRecipient: [{ period: 'day', credits: '9.999' }] } },
    [['/limits/perRecipient/0/credits', 'OUT_OF_RANGE']],
  ],
  ['rates finer than the scale', { effect: share('EUR') }, []],
  ['both without the new user', { recipient: 'both' }, [['/newUserEffect', 'REQUIRED']]],
  [
    'the new user beside the referrer alone',
    { newUserEffect: fixed('1') },
    [['/newUserEffect', 'UNKNOWN_FIELD']],
  ],
  [
    'the new user twice',
    { recipient: 'new-user', newUserEffect: fixed('1') },
    [['/newUserEffect', 'UNKNOWN_FIELD']],
  ],
  ['both with both effects', { recipient: 'both', newUserEffect: fixed('1') }, []],
  [
    'tiers for a new user',
    { recipient: 'new-user', effect: tiers(1) },
    [['/effect/kind', 'INVALID_ENUM']],
  ],
  [
    'tiers for the referrer of both',
    { recipient: 'both', effect: tiers(1, 5), newUserEffect: fixed('1') },
    [],
  ],
  [
    'tiers that begin at 2',
    { effect: tiers(2, 5) },
    [['/effect/tiers/0/fromCount', 'OUT_OF_RANGE']],
  ],
  [
    'tiers that do not grow',
    { effect: tiers(1, 5, 5, 4) },
    [
      ['/effect/tiers/2/fromCount', 'OUT_OF_RANGE'],
      ['/effect/tiers/3/fromCount', 'OUT_OF_RANGE'],
    ],
  ],
  [
    'a share of a signup',
    { trigger: 'signup-created', effect: share('EUR') },
    [['/effect/kind', 'INVALID_ENUM']],
  ],
  [
    'a share of a demo, in a tier and for the new user',
    {
      trigger: 'demo-attended',
      recipient: 'both',
      effect: { kind: 'tiered', tiers: [{ fromCount: 1, effect: share('EUR') }] },
      newUserEffect: share('EUR'),
    },
    [
      ['/effect/tiers/0/effect/kind', 'INVALID_ENUM'],
      ['/newUserEffect/kind', 'INVALID_ENUM'],
    ],
  ],
  ['a fixed reward of a signup', { trigger: 'signup-created' }, []],
  [
    'conditions of a signup, one mistake each',
    {
      trigger: 'signup-created',
      conditions: {
        intervals: ['monthly'],
        productKeys: ['p'],
        currencies: ['EUR'],
        minimumAmounts: { EUR: 1 },
        minimumSeats: 1,
      },
    },
    ['intervals', 'productKeys', 'currencies', 'minimumAmounts', 'minimumSeats'].map((name) => [
      `/conditions/${name}`,
      'UNKNOWN_FIELD',
    ]),
  ],
  ['empty conditions of a signup', { trigger: 'signup-created', conditions: {} }, []],
  [
    'first purchases of a demo',
    { trigger: 'demo-attended', limits: { firstPurchases: 1, months: 1 } },
    [['/limits/firstPurchases', 'UNKNOWN_FIELD']],
  ],
  [
    'a share in no currency of the conditions',
    { effect: share('USD'), conditions: { currencies: ['EUR', 'CHF'] } },
    [['/effect/creditsPerMajorUnit', 'INVALID_ENUM']],
  ],
  [
    'a share in no currency with a minimum',
    {
      recipient: 'both',
      newUserEffect: share('USD'),
      conditions: { minimumAmounts: { EUR: 1 } },
    },
    [['/newUserEffect/creditsPerMajorUnit', 'INVALID_ENUM']],
  ],
  [
    'a share in one of the currencies',
    { effect: share('USD', 'EUR'), conditions: { currencies: ['EUR', 'CHF'] } },
    [],
  ],
  [
    'a limit of nothing',
    { limits: { perRecipient: [{ period: 'day' }] } },
    [['/limits/perRecipient/0', 'REQUIRED']],
  ],
  [
    'two limits per day',
    {
      limits: {
        perRecipient: [
          { period: 'day', count: 1 },
          { period: 'week', count: 2 },
          { period: 'day', credits: '5' },
        ],
      },
    },
    [['/limits/perRecipient/2/period', 'INVALID_ENUM']],
  ],
  [
    'credits and count of one period',
    { limits: { perRecipient: [{ period: 'day', count: 1, credits: '5' }] } },
    [],
  ],
];

describe('validateRules', () => {
  for (const [what, rule, expected] of cases) {
    it(`${expected.length === 0 ? 'takes' : 'refuses'} ${what}`, () => {
      expect(placesIn([ruleOf(rule)], 2)).to.deep.equal(
        expected.map(([pointer, code]) => [`/rules/0${pointer}`, code]),
      );
    });
  }

  it('refuses a ruleId that is taken: it names what was paid', () => {
    const rules = ['a', 'b', 'a', 'a'].map((ruleId) => ruleOf({ ruleId }));
    expect(placesIn(rules, 2)).to.deep.equal([
      ['/rules/2/ruleId', 'INVALID_FORMAT'],
      ['/rules/3/ruleId', 'INVALID_FORMAT'],
    ]);
  });

  it('asks nothing of members that are not there', () => {
    expect(placesIn([{}, {}, { recipient: 'both' }], 0)).to.deep.equal([
      ['/rules/2/newUserEffect', 'REQUIRED'],
    ]);
  });
});

describe('validateDiscount', () => {
  it('asks how much with how long, and not the other way round', () => {
    expect(validateDiscount({ newUserDiscountMonth: 3 })).to.have.nested.property(
      '0.pointer',
      '/newUserDiscountBasisPoints',
    );
    expect(validateDiscount({ newUserDiscountBasisPoints: 500 })).to.deep.equal([]);
    expect(
      validateDiscount({ newUserDiscountMonth: 3, newUserDiscountBasisPoints: 500 }),
    ).to.deep.equal([]);
  });
});

function placesIn(rules: Partial<CampaignRule>[], creditScale: number): [string, string][] {
  return validateRules(rules, creditScale).map(({ pointer, code }) => [pointer, code]);
}
