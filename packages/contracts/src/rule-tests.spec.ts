import { expect } from 'chai';
import type { CampaignRule } from './campaign-rule.ts';
import { ruleApplies, ruleTests, type RuledFact } from './rule-tests.ts';

const rule: CampaignRule = {
  ruleId: 'yearly',
  trigger: 'purchase-created',
  recipient: 'referrer',
  effect: { kind: 'fixed', credits: '10' },
};

function paid(amount: number, currency: string, subscription?: object): RuledFact {
  const purchase = { invoiceId: 'inv', currency, amount, ...(subscription && { subscription }) };
  return { eventType: 'purchase-created', purchase };
}

describe('tests of a rule on a fact', () => {
  it('hold when each condition holds, and say why not otherwise', () => {
    const seats = '9'.repeat(30);
    const rows: [CampaignRule['conditions'], RuledFact, boolean, string][] = [
      [{}, paid(0, 'EUR'), true, 'the rule is for purchases'],
      [{}, { eventType: 'signup-created' }, false, 'the rule is for purchases, this is a signup'],
      [
        { intervals: ['yearly'] },
        paid(1, 'EUR', { interval: 'yearly' }),
        true,
        'the interval must be "yearly"; it is "yearly"',
      ],
      [
        { intervals: ['yearly', 'monthly'] },
        paid(1, 'EUR'),
        false,
        'the interval must be "yearly" or "monthly"; no interval was reported',
      ],
      [
        { productKeys: ['pro'] },
        paid(1, 'EUR', { productKey: 'Pro' }),
        false,
        'the product must be "pro"; it is "Pro"',
      ],
      [{ currencies: ['EUR'] }, paid(1, 'USD'), false, 'the currency must be "EUR"; it is "USD"'],
      [
        { minimumAmounts: { EUR: 4900 } },
        paid(4900, 'EUR'),
        true,
        'at least 49.00 EUR must be paid; paid 49.00 EUR',
      ],
      [
        { minimumAmounts: { EUR: 4900 } },
        paid(4899, 'EUR'),
        false,
        'at least 49.00 EUR must be paid; paid 48.99 EUR',
      ],
      [
        { minimumAmounts: { EUR: 0 } },
        paid(5000, 'JPY'),
        false,
        'the rule names no amount in JPY; paid 5000 JPY',
      ],
      [
        { minimumSeats: 5 },
        paid(1, 'EUR', { seatsUsed: seats }),
        true,
        `at least 5 seats are needed; there are ${seats}`,
      ],
      [
        { minimumSeats: 5 },
        paid(1, 'EUR', { seatsUsed: '04' }),
        false,
        'at least 5 seats are needed; there are 04',
      ],
      [
        { minimumSeats: 5 },
        paid(1, 'EUR'),
        false,
        'at least 5 seats are needed; no seats were reported',
      ],
    ];
    for (const [conditions, fact, passes, detail] of rows) {
      const conditioned = { ...rule, conditions: conditions! };
      expect(ruleApplies(conditioned, fact), detail).to.equal(passes);
      expect(ruleTests(conditioned, fact).at(-1)).to.deep.include({
        passed: passes,
        detail,
      });
    }
  });

  it('are all made, also after one that fails', () => {
    const conditions = { intervals: ['yearly' as const], currencies: ['EUR'] };
    const tests = ruleTests({ ...rule, conditions }, paid(1, 'USD'));
    expect(tests.map(({ test, passed }) => `${test} ${passed}`)).to.deep.equal([
      'trigger true',
      'interval false',
      'currency false',
    ]);
  });
});
