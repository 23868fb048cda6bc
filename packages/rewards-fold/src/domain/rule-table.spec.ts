import type { CampaignRule, Effect, RuleLimits } from '@tributary/contracts/campaign-rule';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { expect } from 'chai';
import { moneyOf, paid, purchaseRule, signedUp } from '../testing/facts.ts';
import { revisionOf } from '../testing/records.ts';
import { formatCredits } from './credits.ts';
import { foldClaims } from './fold-claims.ts';

/**
 * The rule table, as worked examples. Read the story of each table, then its rows; every number was
 * worked out by hand.
 */

const effects: Record<string, (currency: string) => Effect> = {
  '10 fixed': () => ({ kind: 'fixed', credits: '10' }),
  '25 %': (currency) => percent(2_500, currency, '1'),
  'tiers 10, from 3 users 50 %': (currency) => ({
    kind: 'tiered',
    tiers: [
      { fromCount: 1, effect: { kind: 'fixed', credits: '10' } },
      { fromCount: 3, effect: percent(5_000, currency, '1') },
    ],
  }),
};

const limits: Record<string, RuleLimits | undefined> = {
  none: undefined,
  'first purchase': { firstPurchases: 1 },
  '1 month': { months: 1 },
  '15 credits a day': { perRecipient: [{ period: 'day', credits: '15' }] },
  '15 credits a week': { perRecipient: [{ period: 'week', credits: '15' }] },
  '15 credits a month': { perRecipient: [{ period: 'month', credits: '15' }] },
  '15 credits ever': { perRecipient: [{ period: 'lifetime', credits: '15' }] },
  '1 reward a day': { perRecipient: [{ period: 'day', count: 1 }] },
  '1 reward a week': { perRecipient: [{ period: 'week', count: 1 }] },
  '1 reward a month': { perRecipient: [{ period: 'month', count: 1 }] },
  '1 reward ever': { perRecipient: [{ period: 'lifetime', count: 1 }] },
};

/**
 * Anna has referred Udo, Ute and Uli. All purchases are of 40 (EUR, yen, dinars or UF, to the last
 * decimal of each), 1 credit is worth 1 of them.
 *
 *   1  Udo pays on Monday 2 March, 9:00    and gets half of it back on Tuesday 3 March
 *   2  Ute pays on Monday 2 March, 18:00
 *   3  Udo pays on Wednesday 4 March
 *   4  Uli pays on Monday 9 March          now Anna has referred 3 users
 *   5  Udo pays on Friday 10 April
 *
 * What Anna gets for each of the five, by what the rule says about refunds. Room that a refund
 * frees serves what comes after the refund.
 */
const wholeTable = `
  effect                      | limit              | proportional    | full            | keep
  10 fixed                    | none               |  5 10 10 10 10  |  0 10 10 10 10  | 10 10 10 10 10
  10 fixed                    | first purchase     |  5 10  0 10  0  |  0 10  0 10  0  | 10 10  0 10  0
  10 fixed                    | 1 month            |  5 10 10 10  0  |  0 10 10 10  0  | 10 10 10 10  0
  10 fixed                    | 15 credits a day   |  5  5 10 10 10  |  0  5 10 10 10  | 10  5 10 10 10
  10 fixed                    | 15 credits a week  |  5  5  5 10 10  |  0  5 10 10 10  | 10  5  0 10 10
  10 fixed                    | 15 credits a month |  5  5  5  0 10  |  0  5 10  0 10  | 10  5  0  0 10
  10 fixed                    | 15 credits ever    |  5  5  5  0  0  |  0  5 10  0  0  | 10  5  0  0  0
  10 fixed                    | 1 reward a day     |  5  0 10 10 10  |  0  0 10 10 10  | 10  0 10 10 10
  10 fixed                    | 1 reward a week    |  5  0  0 10 10  |  0  0 10 10 10  | 10  0  0 10 10
  10 fixed                    | 1 reward a month   |  5  0  0  0 10  |  0  0 10  0 10  | 10  0  0  0 10
  10 fixed                    | 1 reward ever      |  5  0  0  0  0  |  0  0 10  0  0  | 10  0  0  0  0
  25 %                        | none               |  5 10 10 10 10  |  0 10 10 10 10  | 10 10 10 10 10
  25 %                        | first purchase     |  5 10  0 10  0  |  0 10  0 10  0  | 10 10  0 10  0
  25 %                        | 1 month            |  5 10 10 10  0  |  0 10 10 10  0  | 10 10 10 10  0
  25 %                        | 15 credits a day   |  5  5 10 10 10  |  0  5 10 10 10  | 10  5 10 10 10
  25 %                        | 15 credits a week  |  5  5  5 10 10  |  0  5 10 10 10  | 10  5  0 10 10
  25 %                        | 15 credits a month |  5  5  5  0 10  |  0  5 10  0 10  | 10  5  0  0 10
  25 %                        | 15 credits ever    |  5  5  5  0  0  |  0  5 10  0  0  | 10  5  0  0  0
  25 %                        | 1 reward a day     |  5  0 10 10 10  |  0  0 10 10 10  | 10  0 10 10 10
  25 %                        | 1 reward a week    |  5  0  0 10 10  |  0  0 10 10 10  | 10  0  0 10 10
  25 %                        | 1 reward a month   |  5  0  0  0 10  |  0  0 10  0 10  | 10  0  0  0 10
  25 %                        | 1 reward ever      |  5  0  0  0  0  |  0  0 10  0  0  | 10  0  0  0  0
  tiers 10, from 3 users 50 % | none               |  5 10 10 20 20  |  0 10 10 20 20  | 10 10 10 20 20
  tiers 10, from 3 users 50 % | first purchase     |  5 10  0 20  0  |  0 10  0 20  0  | 10 10  0 20  0
  tiers 10, from 3 users 50 % | 1 month            |  5 10 10 20  0  |  0 10 10 20  0  | 10 10 10 20  0
  tiers 10, from 3 users 50 % | 15 credits a day   |  5  5 10 15 15  |  0  5 10 15 15  | 10  5 10 15 15
  tiers 10, from 3 users 50 % | 15 credits a week  |  5  5  5 15 15  |  0  5 10 15 15  | 10  5  0 15 15
  tiers 10, from 3 users 50 % | 15 credits a month |  5  5  5  0 15  |  0  5 10  0 15  | 10  5  0  0 15
  tiers 10, from 3 users 50 % | 15 credits ever    |  5  5  5  0  0  |  0  5 10  0  0  | 10  5  0  0  0
  tiers 10, from 3 users 50 % | 1 reward a day     |  5  0 10 20 20  |  0  0 10 20 20  | 10  0 10 20 20
  tiers 10, from 3 users 50 % | 1 reward a week    |  5  0  0 20 20  |  0  0 10 20 20  | 10  0  0 20 20
  tiers 10, from 3 users 50 % | 1 reward a month   |  5  0  0  0 20  |  0  0 10  0 20  | 10  0  0  0 20
  tiers 10, from 3 users 50 % | 1 reward ever      |  5  0  0  0  0  |  0  0 10  0  0  | 10  0  0  0  0
`;

describe('the rule table: each effect, limit, refund policy and currency exponent', () => {
  const policies = ['proportional', 'full', 'keep'] as const;
  const money = [
    ['40.00 EUR', '20.00 EUR'],
    ['40 JPY', '20 JPY'],
    ['40.000 BHD', '20.000 BHD'],
    ['40.0000 CLF', '20.0000 CLF'],
  ] as const;

  it('has a row for each effect and limit', () => {
    expect(rowsOf(wholeTable)).to.have.length(
      Object.keys(effects).length * Object.keys(limits).length,
    );
  });

  for (const row of rowsOf(wholeTable)) {
    const [effect = '', limit = ''] = row;
    it(`${effect}, limit ${limit}`, () => {
      for (const [price, half] of money) {
        const { currency } = moneyOf(price);
        const facts = [
          paid(1, 'udo', '2026-03-02 09:00', price, { refunds: [['2026-03-03 12:00', half]] }),
          paid(2, 'ute', '2026-03-02 18:00', price),
          paid(3, 'udo', '2026-03-04 12:00', price),
          paid(4, 'uli', '2026-03-09 12:00', price),
          paid(5, 'udo', '2026-04-10 12:00', price),
        ];
        policies.forEach((refundPolicy, i) => {
          const rule = purchaseRule({
            effect: found(effects, effect)(currency),
            ...(limit !== 'none' && { limits: found(limits, limit)! }),
            refundPolicy,
          });
          expect(earned([rule], facts), `${refundPolicy}, ${currency}`).to.equal(
            row[i + 2]!.split(/ +/).join(' '),
          );
        });
      }
    });
  }
});

/** One purchase, one percentage: exact until the one rounding, half to the even digit. */
const amounts = `
  share of what was paid | credits for 1 | paid                      | decimals | credits
  10 %                   | 1             | 49.00 EUR                 | 2        | 4.9
  10 %                   | 1             | 0.25 EUR                  | 2        | 0.02
  10 %                   | 1             | 0.35 EUR                  | 2        | 0.04
  10 %                   | 1             | 0.351 BHD                 | 2        | 0.04
  10 %                   | 1             | 0.04 EUR                  | 2        | nothing
  12.34 %                | 1             | 4900 JPY                  | 0        | 605
  50 %                   | 1             | 5 JPY                     | 0        | 2
  50 %                   | 1             | 7 JPY                     | 0        | 4
  33.33 %                | 0.5           | 12.345 BHD                | 6        | 2.057294
  33.33 %                | 2.5           | 1.2345 CLF                | 3        | 1.029
  0.01 %                 | 0.01          | 1.0000 CLF                | 6        | 0.000001
  100 %                  | 1             | 90071992547409.91 EUR     | 2        | 90071992547409.91
  100 %                  | 1             | 9007199254740991 JPY      | 6        | 9007199254740991
  100 %                  | 1             | 9007199254740.991 BHD     | 3        | 9007199254740.991
  100 %                  | 1             | 900719925474.0991 CLF     | 3        | 900719925474.099
  10000 %                | 999999.999999 | 9007199254740991 JPY      | 0        | 900719925473198380074526
  10 %                   | 1             | 0.00 EUR                  | 2        | nothing
`;

describe('amounts of a percentage, exact in every currency', () => {
  for (const [share = '', rate = '', money = '', decimals = '', credits = ''] of rowsOf(amounts)) {
    it(`${share} of ${money} at ${rate}, to ${decimals} decimals, is ${credits}`, () => {
      const basisPoints = Math.round(Number(share.replace(' %', '')) * 100);
      const rule = purchaseRule({ effect: percent(basisPoints, moneyOf(money).currency, rate) });
      const facts = [paid(1, 'udo', '2026-03-02 09:00', money)];
      expect(earned([rule], facts, { creditScale: Number(decimals) })).to.equal(
        credits === 'nothing' ? '-' : credits,
      );
    });
  }
});

/** Udo pays once, Anna gets 10; then refunds come, told as what was given back in all so far. */
const refunds = `
  paid                  | given back in all                | proportional  | full | keep
  49.00 EUR             | -                                | 10            | 10   | 10
  49.00 EUR             | 16.33 EUR                        | 6.67          | 0    | 10
  49.00 EUR             | 16.33 EUR, 32.66 EUR             | 3.33          | 0    | 10
  49.00 EUR             | 16.33 EUR, 32.66 EUR, 49.00 EUR  | 0             | 0    | 10
  8 JPY                 | 1 JPY                            | 8.75          | 0    | 10
  1.000 BHD             | 0.999 BHD                        | 0.01          | 0    | 10
  1.0000 CLF            | 0.9999 CLF                       | 0             | 0    | 10
  90071992547409.91 EUR | 90071992547409.90 EUR            | 0             | 0    | 10
  90071992547409.91 EUR | 0.01 EUR                         | 10            | 0    | 10
  0.00 EUR              | 0.00 EUR                         | 0             | 0    | 10
`;

describe('refunds of one purchase', () => {
  for (const [money = '', back = '', ...expected] of rowsOf(refunds)) {
    it(`of ${money}: ${back === '-' ? 'none' : back}`, () => {
      const decisions = back === '-' ? [] : back.split(', ');
      const facts = [
        paid(1, 'udo', '2026-03-02 09:00', money, {
          refunds: decisions.map((one, i) => [`2026-03-0${i + 3} 12:00`, one]),
        }),
      ];
      (['proportional', 'full', 'keep'] as const).forEach((refundPolicy, i) => {
        const rule = purchaseRule({ refundPolicy });
        expect(earned([rule], facts), refundPolicy).to.equal(expected[i]);
      });
    });
  }
});

/**
 * Which rules apply and whom they reward: Udo signs up and then buys a yearly plan for 120.00 EUR.
 */
describe('conditions, both sides and which rules apply', () => {
  const facts = [
    signedUp(1, 'udo', '2026-03-01 09:00'),
    paid(2, 'udo', '2026-03-02 09:00', '120.00 EUR', {
      purchase: {
        invoiceId: 'inv_2',
        amount: 12_000,
        currency: 'EUR',
        subscription: { interval: 'yearly', productKey: 'pro', seatsUsed: '12' },
      },
    }),
  ];
  const rows: [string, CampaignRule[], Partial<CampaignRevisionRecord>, string, string][] = [
    ['a rule for purchases only', [purchaseRule()], {}, '10', '-'],
    ['a rule for signups only', [purchaseRule({ trigger: 'signup-created' })], {}, '10', '-'],
    ['a rule for demos only', [purchaseRule({ trigger: 'demo-attended' })], {}, '-', '-'],
    ['for the new user', [purchaseRule({ recipient: 'new-user' })], {}, '-', '10'],
    ['for both, the same', [purchaseRule({ recipient: 'both' })], {}, '10', '10'],
    [
      'for both, 5 for the new user',
      [purchaseRule({ recipient: 'both', newUserEffect: { kind: 'fixed', credits: '5' } })],
      {},
      '10',
      '5',
    ],
    ['yearly plans', [purchaseRule({ conditions: { intervals: ['yearly'] } })], {}, '10', '-'],
    ['monthly plans', [purchaseRule({ conditions: { intervals: ['monthly'] } })], {}, '-', '-'],
    ['10 seats or more', [purchaseRule({ conditions: { minimumSeats: 10 } })], {}, '10', '-'],
    ['13 seats or more', [purchaseRule({ conditions: { minimumSeats: 13 } })], {}, '-', '-'],
    [
      'from 120.00 EUR on',
      [purchaseRule({ conditions: { minimumAmounts: { EUR: 12_000 } } })],
      {},
      '10',
      '-',
    ],
    [
      'from 120.01 EUR on',
      [purchaseRule({ conditions: { minimumAmounts: { EUR: 12_001 } } })],
      {},
      '-',
      '-',
    ],
    ['a percentage of yen', [purchaseRule({ effect: percent(1_000, 'JPY', '1') })], {}, '-', '-'],
    [
      'two rules, all apply',
      [purchaseRule({ ruleId: 'a' }), purchaseRule({ ruleId: 'b', recipient: 'both' })],
      {},
      '10 10',
      '10',
    ],
    [
      'two rules, the first of each role applies',
      [purchaseRule({ ruleId: 'a' }), purchaseRule({ ruleId: 'b', recipient: 'both' })],
      { ruleMatching: 'first' },
      '10',
      '10',
    ],
    [
      'two rules, the first does not match',
      [
        purchaseRule({ ruleId: 'a', conditions: { productKeys: ['basic'] } }),
        purchaseRule({ ruleId: 'b', effect: { kind: 'fixed', credits: '3' } }),
      ],
      { ruleMatching: 'first' },
      '3',
      '-',
    ],
  ];
  for (const [name, rules, campaign, anna, udo] of rows) {
    it(`${name}: Anna ${anna}, Udo ${udo}`, () => {
      expect(earned(rules, facts, campaign, 'anna')).to.equal(anna);
      expect(earned(rules, facts, campaign, 'udo')).to.equal(udo);
    });
  }
});

/** Anna's purchases in order of time; `-` where there is no reward at all. */
function earned(
  rules: CampaignRule[],
  facts: readonly DecisionRecord[],
  campaign: Partial<CampaignRevisionRecord> = {},
  recipientId = 'anna',
): string {
  const revision = revisionOf({ rules, ...campaign });
  const targets = foldClaims(facts.map((decision) => ({ decision, revision })))
    .filter((target) => target.recipientId === recipientId)
    .sort((a, b) => Number(a.cause.occurredAtSeconds) - Number(b.cause.occurredAtSeconds));
  for (const target of targets) {
    expect(target.calculation.at(-1)?.credits).to.equal(formatCredits(target.credits));
  }
  return targets.map((target) => formatCredits(target.credits)).join(' ') || '-';
}

function percent(basisPoints: number, currency: string, rate: string) {
  return { kind: 'percent' as const, basisPoints, creditsPerMajorUnit: { [currency]: rate } };
}

function rowsOf(table: string): string[][] {
  const lines = table.trim().split('\n').slice(1);
  return lines.map((line) => line.split('|').map((cell) => cell.trim()));
}

function found<V>(table: Record<string, V>, name: string): V {
  if (!(name in table)) throw new Error(`not in the table: ${name}`);
  return table[name]!;
}
