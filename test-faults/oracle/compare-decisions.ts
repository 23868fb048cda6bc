import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { expect } from 'chai';
import type { ExpectedDecision } from './decisions.ts';

/** By event; how a decision is told (tests, sentences) is the service's own affair. */
export function compareDecisions(
  actual: readonly DecisionRecord[],
  expected: ReadonlyMap<string, ExpectedDecision>,
): void {
  expect(actual).to.have.length(expected.size);
  const rows = actual.map((decision) => [decision.eventId, rowOfActual(decision)] as const);
  const expectedRows = [...expected].map(
    ([id, decision]) => [id, rowOfExpected(decision)] as const,
  );
  expect(Object.fromEntries(rows)).to.deep.equal(Object.fromEntries(expectedRows));
}

function rowOfActual(decision: DecisionRecord) {
  const { outcome, reason, duplicateOf, refundOf, boundUcc, waitsUntil, flags } = decision;
  const { campaignId, campaignRevision, referrerId, review = [], reversals = [] } = decision;
  const isAttributed = outcome === 'attributed';
  return {
    ...{ outcome, reason, duplicateOf, refundOf, boundUcc, waitsUntil, flags: [...flags].sort() },
    ...{ referrerId, reviews: [...review].sort() },
    // What was looked at before a test failed is told as well; only here it means something.
    ...(isAttributed && { campaignId, campaignRevision }),
    reversals: reversals.map(({ eventId, reversedAmount, full }) => ({
      eventId,
      reversedAmount: BigInt(reversedAmount),
      full,
    })),
  };
}

function rowOfExpected(decision: ExpectedDecision) {
  const { outcome, reason, duplicateOf, refundOf, boundUcc, waitsUntil, flags } = decision;
  const { campaignId, campaignRevision, referrerId, reviews = [], reversals } = decision;
  const isAttributed = outcome === 'attributed';
  return {
    ...{ outcome, reason, duplicateOf, refundOf, boundUcc, waitsUntil, flags: [...flags].sort() },
    ...{ referrerId, reviews: [...reviews].sort() },
    ...(isAttributed && { campaignId, campaignRevision }),
    reversals,
  };
}
