import type { DecisionRecord, Reversal } from '@tributary/contracts/decision-record';

/**
 * What of a decision the fold reads: all that a reward, its explanation and its withdrawal can
 * depend on. The tests that led to the decision are no part of it, and are more than half of it.
 */
export type FoldedDecision = Pick<
  DecisionRecord,
  | 'decisionId'
  | 'version'
  | 'tenantId'
  | 'eventId'
  | 'eventType'
  | 'newUserId'
  | 'ucc'
  | 'boundUcc'
  | 'occurredAt'
  | 'occurredAtSeconds'
  | 'receivedAt'
  | 'purchase'
  | 'businessKey'
  | 'outcome'
  | 'reason'
  | 'duplicateOf'
  | 'review'
  | 'campaignId'
  | 'campaignRevision'
  | 'referrerId'
> & { reversals?: FoldedReversal[] };

export type FoldedReversal = Omit<Reversal, 'occurredAt'>;
