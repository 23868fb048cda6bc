import type { RewardRecord } from '@tributary/contracts/reward-record';
import type { Credits } from './credits.ts';

/**
 * Who is rewarded. Rewards are settled per recipient and not per campaign: a reward id has no
 * campaign in it, so a decision that moves to another campaign moves the same reward.
 */
export type RecipientKey = { tenantId: string; recipientId: string };

export type RewardState = RewardRecord['state'];

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
  explanation: readonly string[];
  /** What settled it: netting and corrections. History, so a refold leaves it alone. */
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

/** The row of a reward whose issuance is read before the decision that caused it (a rebuild). */
export function stubOf(fact: Issuance): Entitlement {
  const { rewardId, tenantId, recipientId, campaignId } = fact;
  const nothing = { version: 0, entitled: 0n, issued: 0n, issuances: 0 };
  const words = { explanation: [], settlement: [] };
  return { rewardId, tenantId, recipientId, campaignId, state: 'reversed', ...nothing, ...words };
}

/**
 * The state that follows from the amounts. A release has the last word on one thing only: it may
 * settle a reward without paying all of it (netting), and that stays `issued`.
 */
export function stateOf(next: Entitlement): RewardState {
  if (next.entitled === 0n) return 'reversed';
  if (next.issued > 0n || next.state === 'issued') return 'issued';
  return 'held';
}

/** What of a reward still waits for its release. */
export function heldOf(entitlement: Entitlement): Credits {
  return entitlement.state === 'held' ? entitlement.entitled - entitlement.issued : 0n;
}
