import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';

/**
 * An entitlement on `referral.rewards`: what one rule gives one recipient for one business fact.
 * `version` grows with every change. Credits are exact decimals, never floats.
 */
export const RewardRecord = Type.Object({
  schemaVersion: Type.Literal(1),
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
  /** What the recipient is entitled to now; `0` once the cause is gone. */
  entitledCredits: Type.String(),
  /** Sentences that lead from the fact to the amount. */
  explanation: Type.Array(Type.String()),
});
export type RewardRecord = Static<typeof RewardRecord>;

export const rewardCodec = createCodec({ name: 'reward', schemaVersion: 1, schema: RewardRecord });
