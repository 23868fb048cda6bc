import { type Static, Type } from '@sinclair/typebox';
import { EventType, Purchase, Refund } from './event-record.ts';
import { createCodec } from './record.ts';
import { BusinessKey, Id, ReportedUcc, TenantId, UtcTimestamp } from './record-text.ts';
import { recordKey } from './topics.ts';

/**
 * What was decided about one event, on `referral.attributions`. `version` grows each time the
 * decision changes; the highest is the current one. It carries its inputs, every test with its
 * result and what follows, so that it explains itself (design 4, promise 5).
 */
export const NotAttributedReason = Type.Union([
  Type.Literal('unknown-code'),
  Type.Literal('code-disabled'),
  Type.Literal('self-referral'),
  Type.Literal('campaign-not-running'),
  /** The purchase came too long after the user's first fact. */
  Type.Literal('outside-window'),
  /** The user was there before the referral, or before the campaign. */
  Type.Literal('existing-user'),
  Type.Literal('duplicate'),
  /** Waits: what it reverses has not come. */
  Type.Literal('refund-without-purchase'),
  /** The fold threw: the fact is kept and a sweeper tries again (design 6). */
  Type.Literal('internal'),
]);
export type NotAttributedReason = Static<typeof NotAttributedReason>;

/** One test of the decision in the order it was made, in words a business person can read. */
export const DecisionTest = Type.Object({
  test: Type.String(),
  passed: Type.Boolean(),
  detail: Type.String(),
});
export type DecisionTest = Static<typeof DecisionTest>;

/**
 * 1 to 2: decisions about demo-attended and purchase-refunded. 2 to 3: reversals, reviews, windows.
 * 3 to 4: recovered signups.
 */
export const decisionSchemaVersion = 4 as const;

/**
 * A step by which refunds took back a purchase. Of several sources that report refunds of one
 * invoice the larger sum counts, up to the purchase (design 7, "Refunds"); a refund that adds
 * nothing to that makes no step.
 */
export const Reversal = Type.Object({
  /** The refund that made the step, with its place in the canonical order. */
  eventId: Id,
  occurredAt: Type.String(),
  occurredAtSeconds: Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$' }),
  receivedAt: UtcTimestamp,
  /** Minor units taken back by this and all steps before, at most the purchase. */
  reversedAmount: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  /** Nothing of the purchase is left; also after any refund of a purchase of 0. */
  full: Type.Boolean(),
});
export type Reversal = Static<typeof Reversal>;

/** Why what a decision earns waits for an operator. */
export const DecisionReview = Type.Union([
  Type.Literal('referral-loop'),
  /** The customer's backend did not report it: a browser did (source `widget`). */
  Type.Literal('recovered-signup'),
]);
export type DecisionReview = Static<typeof DecisionReview>;

export const DecisionRecord = Type.Object({
  schemaVersion: Type.Literal(decisionSchemaVersion),
  decisionId: Id,
  version: Type.Integer({ minimum: 1 }),
  tenantId: TenantId,
  eventId: Id,
  eventType: EventType,
  source: Type.String(),
  newUserId: Id,
  organizationId: Type.Optional(Id),
  ucc: ReportedUcc,
  /** In mode `first-code`: the user's first valid code, where it is another than the event's. */
  boundUcc: Type.Optional(Id),
  occurredAt: Type.String(),
  occurredAtSeconds: Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$' }),
  receivedAt: UtcTimestamp,
  purchase: Type.Optional(Purchase),
  refund: Type.Optional(Refund),
  /** What this event counts as in business terms; one such key earns once (design 7). */
  businessKey: BusinessKey,
  outcome: Type.Union([
    Type.Literal('attributed'),
    Type.Literal('not-attributed'),
    /** Not attributed now; decided again by itself when what is missing arrives. */
    Type.Literal('waiting'),
    Type.Literal('undecided'),
  ]),
  reason: Type.Optional(NotAttributedReason),
  /** With reason `duplicate`: the event that holds the business key. */
  duplicateOf: Type.Optional(Id),
  /** For a matched refund: the event of the purchase whose decision it follows. */
  refundOf: Type.Optional(Id),
  /** For a purchase: how refunds took it back, in canonical order of the refunds. */
  reversals: Type.Optional(Type.Array(Reversal)),
  /**
   * With reason `unknown-code`, outcome `waiting`: a code issued later than this does not count.
   */
  waitsUntil: Type.Optional(UtcTimestamp),
  /** Attributed, but what it earns waits for an operator; why. */
  review: Type.Optional(Type.Array(DecisionReview, { minItems: 1 })),
  campaignId: Type.Optional(Id),
  campaignRevision: Type.Optional(Type.Integer()),
  /** Who referred: owner of the code. Present when attributed. */
  referrerId: Type.Optional(Id),
  flags: Type.Array(Type.String()),
  tests: Type.Array(DecisionTest),
});
export type DecisionRecord = Static<typeof DecisionRecord>;

export const decisionCodec = createCodec({
  name: 'decision',
  schemaVersion: decisionSchemaVersion,
  schema: DecisionRecord,
  upcasters: {
    1: (older) => ({ ...older, schemaVersion: 2 }),
    2: (older) => ({ ...older, schemaVersion: 3 }),
    3: (older) => ({ ...older, schemaVersion: 4 }),
  },
});

/**
 * Key of a decision in `referral.attributions`: its referrer's, whose rewards follow from it, so
 * that one process has all that is about one referrer. A decision without one is its new user's. A
 * referral that moves to another referrer changes its partition: readers go by the version.
 */
export function decisionKey(
  decision: Pick<DecisionRecord, 'tenantId' | 'referrerId' | 'newUserId'>,
): string {
  return recordKey(decision.tenantId, decision.referrerId ?? decision.newUserId);
}
