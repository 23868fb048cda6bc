import type { IssuanceFact, RewardActionRecord } from '@tributary/contracts/issuance-record';
import { keptBackAs } from '@tributary/contracts/reward-state';
import { type Entitlement, heldOf, stateOf, stubOf } from '@tributary/rewards-fold/entitlement';
import type { Target } from '@tributary/rewards-fold/target';
import { issuanceFromWire } from '@tributary/rewards-fold/reward-records';

/** A reward as a service would hold it, but for what is history: versions and settlement. */
export type Reward = Entitlement & {
  /** Absent: nothing gives it now, only what was issued for it is known. */
  target?: Target;
};

/** Puts what was issued, and what operators said, beside what one recipient is entitled to. */
export function settleRewards(
  targets: readonly Target[],
  facts: readonly IssuanceFact[],
): Reward[] {
  const rewards = new Map<string, Reward>();
  for (const target of targets) {
    const { credits, ...rest } = target;
    const nothing = { version: 0, issued: 0n, issuances: 0, settlement: [] };
    const reward = { ...nothing, ...rest, state: 'held' as const, entitled: credits, target };
    rewards.set(target.rewardId, reward);
  }
  for (const fact of issuancesOf(facts)) {
    const reward = rewards.get(fact.rewardId) ?? stubOf(fact);
    const { issued, issuances } = reward;
    rewards.set(fact.rewardId, {
      ...reward,
      issued: issued + fact.credits,
      issuances: issuances + 1,
    });
  }
  for (const [rewardId, { type }] of lastActions(facts)) {
    const reward = rewards.get(rewardId);
    if (reward) rewards.set(rewardId, { ...reward, action: type });
  }
  return [...rewards.values()].map((reward) => ({ ...reward, state: reportedState(reward) }));
}

/** What a settled reward has grown by, and an operator must look at, is in review for a report. */
function reportedState(reward: Reward): Reward['state'] {
  const settled = { ...reward, state: stateOf(reward) };
  return heldOf(settled) > 0n && keptBackAs(settled) === 'review' ? 'review' : settled.state;
}

/** Distinct, in the order in which they were made. */
function issuancesOf(facts: readonly IssuanceFact[]) {
  const issued = facts.flatMap((fact) => (fact.type === 'issued' ? issuanceFromWire(fact) : []));
  const distinct = new Map(issued.map((fact) => [fact.issuanceId, fact]));
  return [...distinct.values()].sort((a, b) =>
    a.issuedAt === b.issuedAt
      ? a.issuanceId < b.issuanceId
        ? -1
        : 1
      : a.issuedAt < b.issuedAt
        ? -1
        : 1,
  );
}

/** By reward, the action with the highest sequence. */
function lastActions(facts: readonly IssuanceFact[]): Map<string, RewardActionRecord> {
  const lastActions = new Map<string, RewardActionRecord>();
  for (const fact of facts) {
    if (fact.type === 'issued') continue;
    const known = lastActions.get(fact.rewardId);
    if (!known || fact.sequence > known.sequence) lastActions.set(fact.rewardId, fact);
  }
  return lastActions;
}
