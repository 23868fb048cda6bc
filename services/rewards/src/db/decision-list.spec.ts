import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { purchaseDecision, signupDecision } from '@tributary/rewards-fold/testing/records';
import { expect } from 'chai';
import fc from 'fast-check';
import { type DecisionList, decisionFromList, decisionToList } from './decision-list.ts';

/** The record of a decision without what the fold does not read. */
function folded(decision: DecisionRecord): object {
  const { schemaVersion: _v, source: _s, organizationId: _o, refund: _r, ...kept } = decision;
  const { refundOf: _f, waitsUntil: _w, flags: _l, tests: _t, reversals, ...rest } = kept;
  const slim = reversals?.map(({ occurredAt: _a, ...reversal }) => reversal);
  return { ...rest, ...(slim && { reversals: slim }) };
}

function storedAndRead(decision: DecisionRecord): object {
  const { decisionId, version, tenantId, businessKey, campaignId, campaignRevision } = decision;
  const columns = {
    ...{ decisionId, version, tenantId, businessKey },
    ...(campaignId !== undefined && { campaignId }),
    ...(campaignRevision !== undefined && { campaignRevision }),
  };
  const text = JSON.stringify(decisionToList(decision));
  return decisionFromList(columns, JSON.parse(text) as DecisionList);
}

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const reversal = fc.record({
  eventId: fc.uuid(),
  occurredAt: fc.string(),
  occurredAtSeconds: fc.constantFrom('1', '-5.25'),
  receivedAt: fc.constant('2026-03-01T10:00:01.000Z'),
  reversedAmount: fc.nat(),
  full: fc.boolean(),
});
const members = fc
  .record({
    newUserId: fc.string(),
    ucc: fc.string(),
    boundUcc: optional(fc.string()),
    outcome: fc.constantFrom('attributed', 'not-attributed', 'waiting', 'undecided'),
    reason: optional(fc.constantFrom('duplicate', 'internal')),
    duplicateOf: optional(fc.uuid()),
    review: optional(fc.constantFrom(['referral-loop'], ['referral-loop', 'recovered-signup'])),
    reversals: optional(fc.array(reversal, { maxLength: 3 })),
    campaignId: optional(fc.string()),
    campaignRevision: optional(fc.nat()),
    referrerId: optional(fc.string()),
    organizationId: optional(fc.string()),
    tests: fc.constant([{ test: 'code', passed: true, detail: 'issued before the event' }]),
  })
  .map((all) => {
    const given = Object.entries(all).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given);
  });

describe('a decision as rewards stores it', () => {
  it('is all that the fold reads of it, whatever is missing', () => {
    fc.assert(
      fc.property(fc.boolean(), members, (isPurchase, more) => {
        const bare = isPurchase ? purchaseDecision(1) : signupDecision(1);
        const { campaignId: _c, campaignRevision: _n, referrerId: _r, ...required } = bare;
        const decision = { ...required, ...more };
        expect(storedAndRead(decision)).to.deep.equal(folded(decision));
      }),
    );
  });

  it('ends with the last member that it has', () => {
    expect(decisionToList(signupDecision(1))).to.have.length(9);
    expect(decisionToList(purchaseDecision(1))).to.have.length(10);
  });

  it('is read in the form that was written first', () => {
    const text =
      '["e1","purchase-created","not-attributed","u1",null,"code",' +
      '"2026-03-01T10:00:00Z","1772359200","2026-03-01T10:00:01.000Z",' +
      '{"invoiceId":"i1","currency":"EUR","amount":4900},' +
      '[["r1","1772359300.5","2026-03-01T10:01:41.000Z",900,false]],' +
      'null,"duplicate","e0","bound"]';
    const columns = { decisionId: 'd1', version: 2, tenantId: 't1', businessKey: 'k1' };
    const decision = decisionFromList(columns, JSON.parse(text) as DecisionList);
    expect(decision).to.deep.equal({
      ...columns,
      eventId: 'e1',
      eventType: 'purchase-created',
      outcome: 'not-attributed',
      newUserId: 'u1',
      ucc: 'code',
      occurredAt: '2026-03-01T10:00:00Z',
      occurredAtSeconds: '1772359200',
      receivedAt: '2026-03-01T10:00:01.000Z',
      purchase: { invoiceId: 'i1', currency: 'EUR', amount: 4900 },
      reversals: [
        {
          eventId: 'r1',
          occurredAtSeconds: '1772359300.5',
          receivedAt: '2026-03-01T10:01:41.000Z',
          reversedAmount: 900,
          full: false,
        },
      ],
      reason: 'duplicate',
      duplicateOf: 'e0',
      boundUcc: 'bound',
    });
    expect(JSON.stringify(decisionToList(decision))).to.equal(text);
  });

  it('of an earlier release is its whole record', () => {
    const decision = purchaseDecision(1, { version: 3 });
    expect(decisionFromList(decision, decision)).to.equal(decision);
  });
});
