import { type Static, Type } from '@sinclair/typebox';
import { DecisionReview, DecisionTest } from './decision-record.ts';
import { createCodec } from './record.ts';
import { UtcTimestamp } from './record-text.ts';

/** 1 to 2: how the amount came about, the hold, why it is in review. 2 to 3: recovered signups. */
export const rewardSchemaVersion = 3 as const;

/** One step from the fact to the amount: the effect, a limit, a refund. */
export const CalculationStep = Type.Object({
  step: Type.Union([
    Type.Literal('effect'),
    Type.Literal('limit'),
    Type.Literal('refund'),
    /** The decision that gave it is gone or changed. */
    Type.Literal('withdrawal'),
  ]),
  /** A sentence that a business person can read. */
  detail: Type.String(),
  /** After the step; exact decimal, at least 0. Before the first step it is 0. */
  credits: Type.String(),
  /** For a refund: its event. */
  eventId: Type.Optional(Type.String()),
});
export type CalculationStep = Static<typeof CalculationStep>;

/**
 * An entitlement on `referral.rewards`: what one rule gives one recipient for one business fact.
 * `version` grows with every change. Credits are exact decimals, never floats.
 */
export const RewardRecord = Type.Object({
  schemaVersion: Type.Literal(rewardSchemaVersion),
  rewardId: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  tenantId: Type.String({ minLength: 1 }),
  campaignId: Type.String(),
  campaignRevision: Type.Integer(),
  ruleId: Type.String(),
  recipientRole: Type.Union([Type.Literal('referrer'), Type.Literal('new-user')]),
  recipientId: Type.String(),
  businessKey: Type.String(),
  /** The event and decision that caused it. */
  eventId: Type.String(),
  decisionId: Type.String(),
  decisionVersion: Type.Integer(),
  state: Type.Union([
    Type.Literal('held'),
    Type.Literal('review'),
    Type.Literal('issued'),
    Type.Literal('withheld'),
    Type.Literal('reversed'),
  ]),
  /**
   * What the recipient is entitled to now; `0` (and `reversed`) also where a limit left no room.
   * People are shown that as `capped`: see reward-state.ts.
   */
  entitledCredits: Type.String(),
  /** Exact decimal: what was issued of it so far. */
  issuedCredits: Type.String(),
  /** The referred user whose fact it is, and when it occurred. */
  newUserId: Type.Optional(Type.String()),
  occurredAt: Type.Optional(Type.String()),
  /** When its hold ends. */
  maturesAt: Type.Optional(UtcTimestamp),
  /** Why it is, or was, to be looked at by an operator. */
  reviewReasons: Type.Optional(
    Type.Array(
      Type.Union([
        ...DecisionReview.anyOf,
        /** The revision was published after the event was received. */
        Type.Literal('revision-published-later'),
      ]),
      { minItems: 1 },
    ),
  ),
  /** Every condition and limit of the rule with its result. */
  tests: Type.Array(DecisionTest),
  calculation: Type.Array(CalculationStep),
  /** Sentences that lead from the fact to the amount. */
  explanation: Type.Array(Type.String()),
});
export type RewardRecord = Static<typeof RewardRecord>;

export const rewardCodec = createCodec({
  name: 'reward',
  schemaVersion: rewardSchemaVersion,
  schema: RewardRecord,
  upcasters: {
    1: (older) => ({
      ...older,
      schemaVersion: 2,
      issuedCredits: older['state'] === 'issued' ? older['entitledCredits'] : '0',
      tests: [],
      calculation: [],
    }),
    2: (older) => ({ ...older, schemaVersion: 3 }),
  },
});
