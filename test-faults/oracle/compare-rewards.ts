import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { expect } from 'chai';
import { formatCredits } from '../../packages/rewards-fold/src/domain/credits.ts';
import type { Entitlement } from '../../packages/rewards-fold/src/domain/entitlement.ts';
import { foldClaims } from '../../packages/rewards-fold/src/domain/fold-claims.ts';
import { asDecimal, compare, zero } from './rational.ts';
import type { ExpectedReward } from './rewards.ts';
import type { World } from './world.ts';

type Row = Record<string, unknown>;

/**
 * A fold from scratch. The service may say of nothing that it is nothing (a reward that a refund
 * took back) or not say it, so only what is entitled is compared; and whatever it does say of must
 * have been a candidate reward.
 */
export function compareFromScratch(
  world: World,
  decisions: readonly DecisionRecord[],
  expected: readonly ExpectedReward[],
): void {
  const targets = foldClaims(
    decisions.map((decision) => {
      const revision = world.revisions.find((r) => isNamedBy(decision, r));
      return { decision, ...(revision && { revision }) };
    }),
  );
  const rewards = targets.map(({ credits, ...target }) => ({ ...target, entitled: credits }));
  compareRewards(rewards, expected);
  const candidates = new Set(expected.map(rowOfExpected).map(keyOf));
  const unknown = rewards.map(rowOfActual).filter((row) => !candidates.has(keyOf(row)));
  expect(unknown).to.deep.equal([]);
}

type Actual = Pick<
  Entitlement,
  'tenantId' | 'recipientId' | 'campaignId' | 'entitled' | 'cause' | 'maturesAt' | 'reviews'
>;

/** What recipients are entitled to; what is 0 now is history. */
export function compareRewards(
  rewards: readonly Actual[],
  expected: readonly ExpectedReward[],
): void {
  const counted = expected.filter(({ entitled }) => compare(entitled, zero) > 0);
  const actual = rewards.filter(({ entitled }) => entitled !== 0n);
  expect(byKey(actual.map(rowOfActual))).to.deep.equal(byKey(counted.map(rowOfExpected)));
}

function isNamedBy(decision: DecisionRecord, revision: CampaignRevisionRecord): boolean {
  return (
    revision.tenantId === decision.tenantId &&
    revision.campaignId === decision.campaignId &&
    revision.revision === decision.campaignRevision
  );
}

function rowOfActual(reward: Actual): Row {
  const { tenantId, recipientId, campaignId, entitled, cause, maturesAt, reviews } = reward;
  return {
    ...{ tenantId, eventId: cause?.eventId, ruleId: cause?.ruleId, role: cause?.recipientRole },
    ...{ businessKey: cause?.businessKey, recipientId, campaignId },
    campaignRevision: cause?.campaignRevision,
    ...{ credits: formatCredits(entitled), maturesAt, reviews: [...reviews].sort() },
  };
}

function rowOfExpected(reward: ExpectedReward): Row {
  const { tenantId, eventId, ruleId, role, recipientId, campaignId, campaignRevision } = reward;
  const { entitled, maturesAt, reviewReasons } = reward;
  return {
    ...{ tenantId, eventId, ruleId, role, businessKey: reward.businessKey },
    ...{ recipientId, campaignId, campaignRevision },
    ...{ credits: asDecimal(entitled), maturesAt, reviews: [...reviewReasons].sort() },
  };
}

function byKey(rows: readonly Row[]): Record<string, Row> {
  const keyed = rows.map((row) => [keyOf(row), row] as const);
  expect(new Set(keyed.map(([key]) => key)).size).to.equal(rows.length);
  return Object.fromEntries(keyed.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function keyOf({ tenantId, eventId, ruleId, role, recipientId }: Row): string {
  return JSON.stringify([tenantId, eventId, ruleId, role, recipientId]);
}
