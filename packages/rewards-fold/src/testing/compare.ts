import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { formatCredits } from '../domain/credits.ts';
import type { Entitlement } from '../domain/entitlement.ts';
import { isWithdrawn } from '../domain/fold-recipient.ts';
import type { Target } from '../domain/target.ts';

/**
 * What promise 4 of the design compares, sentences included: rewards that somebody is entitled to,
 * as text in one order. Rewards that were taken back are history; so is the version of a decision
 * that changed nothing for the reward.
 */
export function reportedRewards(rewards: readonly Entitlement[]): string[] {
  return rewards
    .filter((reward) => !isWithdrawn(reward) && reward.cause !== undefined)
    .map((reward) => textOf(reward, reward.entitled))
    .sort(byText);
}

export function reportedTargets(targets: readonly Target[]): string[] {
  return targets.map((target) => textOf(target, target.credits)).sort(byText);
}

/** The highest version of each decision. */
export function currentOf(records: readonly DecisionRecord[]): DecisionRecord[] {
  const current = new Map<string, DecisionRecord>();
  for (const record of records) {
    const known = current.get(record.decisionId);
    if (!known || known.version < record.version) current.set(record.decisionId, record);
  }
  return [...current.values()];
}

type Reported = Pick<
  Target,
  'rewardId' | 'recipientId' | 'campaignId' | 'tests' | 'calculation' | 'explanation' | 'reviews'
> &
  Pick<Entitlement, 'cause' | 'maturesAt'>;

function textOf(reward: Reported, entitled: bigint): string {
  const { rewardId, recipientId, campaignId, cause, tests, calculation, explanation } = reward;
  return JSON.stringify([
    ...[rewardId, recipientId, campaignId, formatCredits(entitled)],
    ...[{ ...cause, decisionVersion: undefined }, tests, calculation, explanation].map(sorted),
    ...[reward.maturesAt ?? null, reward.reviews],
  ]);
}

/** JSON that went through a database keeps its members, not always their order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => byText(a, b)));
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
