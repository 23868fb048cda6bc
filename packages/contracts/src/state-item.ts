import { hash } from 'node:crypto';
import type { CalculationStep, RewardRecord } from './reward-record.ts';
import type { DecisionRecord, DecisionTest, Reversal } from './decision-record.ts';

/**
 * Current state in a form that two runs of the folds can compare (design 4, promise 4): what is a
 * function of the set of facts, and nothing of its history. Services tell theirs line by line on
 * their internal listener; a replay derives the same lines from the log.
 *
 * Each line is a JSON array with its kind first, in a fixed order of members, so that equal items
 * are equal texts. Digests are SHA-256 of the item's text, base64url.
 */
export type DecisionLine = {
  kind: 'decision';
  tenantId: string;
  newUserId: string;
  eventId: string;
  digest: string;
};

export type RewardLine = {
  kind: 'reward';
  tenantId: string;
  recipientId: string;
  rewardId: string;
  campaignId: string;
  ruleId: string;
  recipientRole: string;
  /** `2026-03`: month of occurredAt in UTC; empty where only an issuance is known. */
  month: string;
  /** Exact decimals without trailing zeros. */
  entitled: string;
  issued: string;
  state: RewardRecord['state'];
  /**
   * Empty when nothing gives the reward now (withdrawn, or only an issuance is known). Its campaign
   * is then that of its first issuance, by [issuedAt, issuanceId].
   */
  digest: string;
};

/** Totals of one recipient. `owed` is the balance of the ledger's account: entitled − issued. */
export type RecipientLine = {
  kind: 'recipient';
  tenantId: string;
  recipientId: string;
  entitled: string;
  issued: string;
  owed: string;
};

export type StateLine = DecisionLine | RewardLine | RecipientLine;

export function toLine(line: StateLine): string {
  switch (line.kind) {
    case 'decision':
      return JSON.stringify(['d', line.tenantId, line.newUserId, line.eventId, line.digest]);
    case 'reward':
      return JSON.stringify([
        ...['r', line.tenantId, line.recipientId, line.rewardId, line.campaignId, line.ruleId],
        ...[line.recipientRole, line.month, line.entitled, line.issued, line.state, line.digest],
      ]);
    case 'recipient':
      return JSON.stringify([
        ...['b', line.tenantId, line.recipientId, line.entitled, line.issued, line.owed],
      ]);
  }
}

/** @throws {Error} when the text is no line of {@link toLine}. */
export function fromLine(text: string): StateLine {
  const [tag, ...rest] = JSON.parse(text) as string[];
  const [a = '', b = '', c = '', d = '', e = '', f = '', g = '', h = '', i = '', j = '', k = ''] =
    rest;
  switch (tag) {
    case 'd':
      return { kind: 'decision', tenantId: a, newUserId: b, eventId: c, digest: d };
    case 'r':
      return {
        kind: 'reward',
        ...{ tenantId: a, recipientId: b, rewardId: c, campaignId: d, ruleId: e },
        ...{ recipientRole: f, month: g, entitled: h, issued: i },
        state: j as RewardLine['state'],
        digest: k,
      };
    case 'b':
      return { kind: 'recipient', tenantId: a, recipientId: b, entitled: c, issued: d, owed: e };
    default:
      throw new Error('not a line of state');
  }
}

/** What of a decision is compared: all but its version and the schema it was written in. */
export function decisionDigest(decision: Omit<DecisionRecord, 'version'>): string {
  const { purchase, refund } = decision;
  return digestOf([
    ...[decision.decisionId, decision.tenantId, decision.eventId, decision.eventType],
    ...[decision.source, decision.newUserId, decision.organizationId, decision.ucc],
    ...[decision.boundUcc, decision.occurredAt, decision.occurredAtSeconds, decision.receivedAt],
    purchase && sorted(purchase),
    refund && sorted(refund),
    ...[decision.businessKey, decision.outcome, decision.reason, decision.duplicateOf],
    decision.refundOf,
    decision.reversals?.map(reversalItem),
    ...[decision.waitsUntil, decision.review, decision.campaignId, decision.campaignRevision],
    ...[decision.referrerId, decision.flags, decision.tests.map(testItem)],
  ]);
}

/** What of a reward is compared, beside its amounts. */
export type RewardContent = {
  rewardId: string;
  tenantId: string;
  recipientId: string;
  campaignId: string;
  campaignRevision: number;
  ruleId: string;
  recipientRole: string;
  businessKey: string;
  eventId: string;
  occurredAtSeconds: string;
  receivedAt: string;
  entitled: string;
  maturesAt?: string | undefined;
  reviews: readonly string[];
  /** The last operator action. */
  action?: string | undefined;
  tests: readonly DecisionTest[];
  calculation: readonly CalculationStep[];
};

export function rewardDigest(reward: RewardContent): string {
  return digestOf([
    ...[reward.rewardId, reward.tenantId, reward.recipientId, reward.campaignId],
    ...[reward.campaignRevision, reward.ruleId, reward.recipientRole, reward.businessKey],
    ...[reward.eventId, reward.occurredAtSeconds, reward.receivedAt, reward.entitled],
    ...[reward.maturesAt, reward.reviews, reward.action],
    reward.tests.map(testItem),
    reward.calculation.map(({ step, detail, credits, eventId }) => [
      ...[step, detail, credits, eventId],
    ]),
  ]);
}

function digestOf(item: readonly unknown[]): string {
  // Absent members become null, so each has its place.
  return hash('sha256', JSON.stringify(item), 'base64url');
}

function testItem({ test, passed, detail }: DecisionTest): unknown[] {
  return [test, passed, detail];
}

function reversalItem(reversal: Reversal): unknown[] {
  const { eventId, occurredAt, occurredAtSeconds, receivedAt, reversedAmount, full } = reversal;
  return [eventId, occurredAt, occurredAtSeconds, receivedAt, reversedAmount, full];
}

/** Members of a flat object by name. */
function sorted(flat: object): unknown[] {
  return Object.entries(flat).sort(([a], [b]) => (a < b ? -1 : 1));
}
