import type { CampaignRule, PercentEffect } from '@tributary/contracts/campaign-rule';
import { always } from '@tributary/contracts/revision-in-force';
import { expect } from 'chai';
import { draftOf, ruleOf } from '../../testing/campaigns.ts';
import { warningsOfCampaign } from './campaign-warnings.ts';
import { warningsOfStart } from './start-warnings.ts';

/** A purchase rule that there is nothing to remark on. */
const sound: CampaignRule = ruleOf({
  conditions: { minimumAmounts: { EUR: 1 } },
  holdDays: 14,
});
const signup = ruleOf({ trigger: 'signup-created' });
const share = (currencies: string[], basisPoints = 1000): PercentEffect => ({
  kind: 'percent',
  basisPoints,
  creditsPerMajorUnit: Object.fromEntries(currencies.map((currency) => [currency, '1'])),
});

type Case = [what: string, rules: CampaignRule[], expected: [string, string][]];
const cases: Case[] = [
  ['a paid and held rule', [sound], []],
  ['a signup', [signup], []],
  [
    'fixed credits without a minimum',
    [{ ...ruleOf(), holdDays: 1 }],
    [['PAYS_FOR_NOTHING', '/rules/0/effect']],
  ],
  [
    'fixed credits with a minimum of 0 in one currency',
    [{ ...sound, conditions: { minimumAmounts: { EUR: 1, USD: 0 } } }],
    [['PAYS_FOR_NOTHING', '/rules/0/effect']],
  ],
  [
    'a minimum of 0 in a currency that is not let through',
    [{ ...sound, conditions: { currencies: ['EUR'], minimumAmounts: { EUR: 1, USD: 0 } } }],
    [],
  ],
  [
    'fixed credits for the new user alone, beside a share',
    [
      {
        ...ruleOf({ recipient: 'both', effect: share(['EUR']), holdDays: 1 }),
        newUserEffect: { kind: 'fixed', credits: '1' },
      },
    ],
    [['PAYS_FOR_NOTHING', '/rules/0/newUserEffect']],
  ],
  ['a share without a minimum', [{ ...ruleOf({ effect: share(['EUR']), holdDays: 1 }) }], []],
  ['a hold of 0', [{ ...sound, holdDays: 0 }], [['SENT_BEFORE_REFUND', '/rules/0/holdDays']]],
  [
    'a hold of 0 with a full take-back',
    [{ ...sound, holdDays: 0, refundPolicy: 'full' }],
    [['SENT_BEFORE_REFUND', '/rules/0/holdDays']],
  ],
  [
    'credits that a refund leaves',
    [{ ...sound, holdDays: 0, refundPolicy: 'keep' }],
    [['REFUND_KEEPS_CREDITS', '/rules/0/refundPolicy']],
  ],
  [
    'a refund policy of a signup',
    [{ ...signup, refundPolicy: 'full' }],
    [['REFUND_POLICY_UNUSED', '/rules/0/refundPolicy']],
  ],
  [
    'conditions that exclude each other',
    [{ ...sound, conditions: { currencies: ['EUR'], minimumAmounts: { USD: 1 } } }],
    [['NEVER_MATCHES', '/rules/0/conditions']],
  ],
  [
    'a currency without a rate, and a rate without use',
    [{ ...sound, effect: share(['EUR', 'JPY']), conditions: { currencies: ['EUR', 'USD'] } }],
    [
      ['CURRENCY_EARNS_NOTHING', '/rules/0/effect/creditsPerMajorUnit'],
      ['RATE_UNUSED', '/rules/0/effect/creditsPerMajorUnit'],
    ],
  ],
  [
    'more than was paid',
    [{ ...sound, effect: share(['EUR'], 10_001) }],
    [['MORE_THAN_PAID', '/rules/0/effect/basisPoints']],
  ],
  ['all that was paid', [{ ...sound, effect: share(['EUR'], 10_000) }], []],
  [
    'tiers of a signup',
    [
      {
        ...signup,
        effect: {
          kind: 'tiered',
          tiers: [{ fromCount: 1, effect: { kind: 'fixed', credits: '1' } }],
        },
      },
    ],
    [['TIERS_COUNT_PURCHASES', '/rules/0/effect/tiers']],
  ],
  [
    'a limit below a reward',
    [{ ...sound, limits: { perRecipient: [{ period: 'day', credits: '9.99' }] } }],
    [['LIMIT_BELOW_REWARD', '/rules/0/limits/perRecipient/0/credits']],
  ],
  [
    'a limit of one reward',
    [{ ...sound, limits: { perRecipient: [{ period: 'day', credits: '10.00' }] } }],
    [],
  ],
  [
    'a limit per day as large as that per month',
    [
      {
        ...sound,
        limits: {
          perRecipient: [
            { period: 'day', credits: '100', count: 5 },
            { period: 'month', credits: '100.00', count: 6 },
          ],
        },
      },
    ],
    [['LIMIT_NEVER_REACHED', '/rules/0/limits/perRecipient/0/credits']],
  ],
  [
    'a limit per week as large as that per month, which a week can lie across',
    [
      {
        ...sound,
        limits: {
          perRecipient: [
            { period: 'week', count: 5 },
            { period: 'month', count: 5 },
          ],
        },
      },
    ],
    [],
  ],
  [
    'first purchases with conditions',
    [{ ...sound, limits: { firstPurchases: 1 } }],
    [['FIRST_PURCHASES_COUNT_ALL', '/rules/0/limits/firstPurchases']],
  ],
  ['no rules', [], [['NOTHING_PAID', '/rules']]],
];

describe('warningsOfCampaign', () => {
  for (const [what, rules, expected] of cases) {
    it(`${expected.length === 0 ? 'has nothing to say of' : 'warns of'} ${what}`, () => {
      expect(codesOf({ rules })).to.deep.equal(expected);
    });
  }

  it('warns of a stopped campaign and of loops that are paid', () => {
    const change = { rules: [sound], status: 'stopped', referralLoops: 'allow' } as const;
    expect(codesOf({ ...change, rules: [sound] })).to.deep.equal([
      ['NOTHING_ATTRIBUTED', '/status'],
      ['LOOPS_PAID', '/referralLoops'],
    ]);
  });

  it('warns of months that the window never lets come', () => {
    const rules = [{ ...sound, limits: { months: 2 } }];
    const never = [['LIMIT_NEVER_REACHED', '/rules/0/limits/months']];
    expect(codesOf({ rules, attributionWindowDays: 58 })).to.deep.equal(never);
    // From 31 January two months are 59 days.
    expect(codesOf({ rules, attributionWindowDays: 59 })).to.deep.equal([]);
    expect(codesOf({ rules })).to.deep.equal([]);
  });

  it('warns of a rule that an earlier one always comes before, when the first applies', () => {
    const open = ruleOf({ ruleId: 'open', effect: share(['EUR']), holdDays: 1 });
    const forBoth: CampaignRule = {
      ...open,
      ruleId: 'both',
      recipient: 'both',
      newUserEffect: share(['EUR']),
    };
    const never = [['NEVER_FIRST', '/rules/1']];
    const first = { ruleMatching: 'first' } as const;
    expect(codesOf({ ...first, rules: [open, { ...open, ruleId: 'x' }] })).to.deep.equal(never);
    expect(codesOf({ ...first, rules: [forBoth, open] })).to.deep.equal(never);
    expect(codesOf({ ...first, rules: [open, forBoth] })).to.deep.equal([]);
    expect(codesOf({ ...first, rules: [open, signup] })).to.deep.equal([]);
    expect(codesOf({ rules: [open, { ...open, ruleId: 'x' }] })).to.deep.equal([]);
  });
});

describe('warnings of a start', () => {
  const now = '2026-03-01T12:00:00.000Z';

  it('tells of events from before a first revision that holds from always', () => {
    const codes = (revision: number, effectiveFrom: string) =>
      warningsOfStart({ revision, effectiveFrom }).map(({ code }) => code);
    expect(codes(1, always)).to.deep.equal(['LATE_EVENTS_REVIEWED']);
    expect(codes(1, now)).to.deep.equal([]);
    expect(codes(2, always)).to.deep.equal([]);
  });

  it('tells of an older revision that takes over later', () => {
    const [found] = warningsOfStart(
      { revision: 3, effectiveFrom: now },
      { revision: 2, effectiveFrom: '2026-04-01T00:00:00.000Z' },
    );
    expect(found).to.include({ code: 'TAKEN_OVER_LATER', pointer: '/effectiveFrom' });
    expect(found?.detail).to.include('revision 2').and.to.include('2026-04-01T00:00:00.000Z');
  });
});

function codesOf(change: Parameters<typeof draftOf>[0]): [string, string][] {
  return warningsOfCampaign(draftOf(change)).map(({ code, pointer }) => [code, pointer]);
}
