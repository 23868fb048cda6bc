import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import { expect } from 'chai';
import {
  decisionOn,
  notAttributed,
  purchase,
  refund,
  revisionOf,
} from '../../../testing/scenario.ts';
import { silentRulesOf } from './silent-rules.ts';

const rule: CampaignRule = {
  ruleId: 'r1',
  trigger: 'purchase-created',
  recipient: 'referrer',
  effect: { kind: 'fixed', credits: '10' },
};
const decision = decisionOn(purchase(2));

/** The last test of rule `r` that was not passed. */
function reasonOf(rules: CampaignRule[], gave: string[] = [], matching?: 'first') {
  const revision = revisionOf({ rules, ...(matching && { ruleMatching: matching }) });
  const silent = silentRulesOf(
    decision,
    revision,
    gave.map((ruleId) => ({ ruleId })),
  );
  const last = silent.at(-1)?.tests.at(-1);
  return last && [silent.length, last.test, last.passed, last.detail];
}

describe('silentRulesOf', () => {
  it('names the trigger or condition that does not hold', () => {
    expect(reasonOf([{ ...rule, trigger: 'signup-created' }])).to.deep.equal([
      1,
      'trigger',
      false,
      'the rule is for signups, this is a purchase',
    ]);
    const tooSmall = { ...rule, conditions: { minimumAmounts: { EUR: 5_000 } } };
    expect(reasonOf([tooSmall])?.[3]).to.contain('at least 50.00 EUR must be paid; paid 49.00 EUR');
  });

  it('leaves out rules that gave something', () => {
    expect(reasonOf([rule], ['r1'])).to.equal(undefined);
  });

  it('names the rule that came first, where only the first applies', () => {
    const second = { ...rule, ruleId: 'r2' };
    expect(reasonOf([rule, second], ['r1'], 'first')?.slice(0, 2)).to.deep.equal([
      1,
      'first match',
    ]);
    const forUser = { ...second, recipient: 'new-user' as const };
    expect(reasonOf([rule, forUser], ['r1'], 'first')?.[1]).to.equal('amount');
  });

  it('names a currency without a rate', () => {
    const creditsPerMajorUnit = { USD: '1' };
    const share = { kind: 'percent', basisPoints: 1_000, creditsPerMajorUnit } as const;
    expect(reasonOf([{ ...rule, effect: share }])?.[3]).to.contain('no credit rate for EUR');
    const tiers = [{ fromCount: 1, effect: share }];
    expect(reasonOf([{ ...rule, effect: { kind: 'tiered', tiers } }])?.[1]).to.equal('rate');
  });

  it('names the limits of the referral when all else holds', () => {
    const limited = { ...rule, limits: { firstPurchases: 3, months: 12 } };
    expect(reasonOf([limited])?.[3]).to.contain('the first 3 purchases within the first 12 months');
  });

  it('says that a reward may be on its way', () => {
    expect(reasonOf([rule])?.[3]).to.equal('no reward has arrived yet');
  });

  it('is about attributed facts only, and not about refunds', () => {
    const event = refund(4, { invoiceId: 'inv-1', amount: 1 });
    expect(silentRulesOf(decisionOn(event), revisionOf(), [])).to.deep.equal([]);
    const waiting = notAttributed(purchase(2), { outcome: 'waiting', reason: 'unknown-code' });
    expect(silentRulesOf(waiting, revisionOf(), [])).to.deep.equal([]);
    expect(silentRulesOf(decision, undefined, [])).to.deep.equal([]);
  });
});
