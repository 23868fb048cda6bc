import type { DecisionTest } from '@tributary/contracts/decision-record';
import type { CalculationStep, RewardRecord } from '@tributary/contracts/reward-record';
import { blockedAs, keptBackAs } from '@tributary/contracts/reward-state';
import type { Credits } from './credits.ts';

/**
 * Who is rewarded. Rewards are settled per recipient and not per campaign: a reward id has no
 * campaign in it, so a decision that moves to another campaign moves the same reward.
 */
export type RecipientKey = { tenantId: string; recipientId: string };

export type RewardState = RewardRecord['state'];
export type ReviewReason = NonNullable<RewardRecord['reviewReasons']>[number];

/** What led to an entitlement, with its place in the canonical order. */
export type Cause = {
  campaignRevision: number;
  ruleId: string;
  recipientRole: RewardRecord['recipientRole'];
  businessKey: string;
  eventId: string;
  decisionId: string;
  decisionVersion: number;
  occurredAtSeconds: string;
  receivedAt: string;
  /** Absent in rows of the first release. */
  newUserId?: string;
  occurredAt?: string;
};

export type Entitlement = RecipientKey & {
  rewardId: string;
  /** 0: only an issuance is known so far, see {@link stubOf}. */
  version: number;
  campaignId: string;
  state: RewardState;
  entitled: Credits;
  issued: Credits;
  /** How many issuances this reward has had; numbers the next one. */
  issuances: number;
  cause?: Cause;
  /** Conditions and limits of the rule, each with its result. */
  tests: readonly DecisionTest[];
  /** How the amount came about, step by step. */
  calculation: readonly CalculationStep[];
  /** When the hold ends, UTC with milliseconds; absent: at once. */
  maturesAt?: string;
  /** Why an operator must look at it before it is issued. */
  reviews: readonly ReviewReason[];
  /** The last operator action on it. */
  action?: RewardAction['type'];
  /** Which operator action that was, see {@link RewardAction}. */
  actionSequence?: number;
  explanation: readonly string[];
  /** What settled it: netting and corrections. History, so a recompute leaves it alone. */
  settlement: readonly string[];
};

/** A fact, in the units of the domain. */
export type Issuance = RecipientKey & {
  issuanceId: string;
  rewardId: string;
  campaignId: string;
  credits: Credits;
  issuedAt: string;
  webhookEventId: string;
};

/** A fact: what an operator said about a reward. */
export type RewardAction = RecipientKey & {
  actionId: string;
  rewardId: string;
  campaignId: string;
  type: 'released' | 'withheld';
  /** 1, 2, … within the reward; the highest holds. */
  sequence: number;
  by: string;
  note?: string;
  at: string;
};

/** The row of a reward of which a fact is read before the decision that caused it (a rebuild). */
export function stubOf(fact: RecipientKey & { rewardId: string; campaignId: string }): Entitlement {
  const { rewardId, tenantId, recipientId, campaignId } = fact;
  const nothing = { version: 0, entitled: 0n, issued: 0n, issuances: 0 };
  const texts = { tests: [], calculation: [], reviews: [], explanation: [], settlement: [] };
  return { rewardId, tenantId, recipientId, campaignId, state: 'reversed', ...nothing, ...texts };
}

/**
 * The state that follows from the amounts and from what an operator said. A release has the last
 * word on one thing only: it may settle a reward without paying all of it (netting), and that
 * stays `issued`. A hold that ends changes no state by itself; the release that follows does.
 */
export function stateOf(next: Entitlement): RewardState {
  if (next.entitled === 0n) return 'reversed';
  if (next.issued > 0n || next.state === 'issued') return 'issued';
  return blockedAs(next) ?? 'held';
}

/** Nothing more of it may be paid until an operator says so. */
export function isBlocked(reward: Entitlement): boolean {
  return blockedAs(reward) !== undefined;
}

/**
 * What of a reward is not payable: all of one that was not settled, and what a settled one has
 * grown by while it is blocked.
 */
export function heldOf(reward: Entitlement): Credits {
  if (keptBackAs(reward) === undefined) return 0n;
  return reward.entitled > reward.issued ? reward.entitled - reward.issued : 0n;
}

/** When a release may settle it: UTC with milliseconds, `''` at once, undefined not by time. */
export function releaseAtOf(reward: Entitlement): string | undefined {
  if (reward.state !== 'held') return undefined;
  return reward.action === 'released' ? '' : (reward.maturesAt ?? '');
}
