import { type Static, Type } from '@sinclair/typebox';
import { Interval } from './public/event-fields.ts';

/** Exact decimal number of credits, more than 0, e.g. `10` or `2.50`. */
export const Credits = Type.String({ pattern: '^(?!0+(\\.0+)?$)[0-9]{1,18}(\\.[0-9]{1,6})?$' });

const CurrencyCode = Type.String({ pattern: '^[A-Z]{3}$' });

/** The same number of credits for every fact. */
export const FixedEffect = Type.Object({ kind: Type.Literal('fixed'), credits: Credits });
export type FixedEffect = Static<typeof FixedEffect>;

/**
 * A share of what was paid. 10000 basis points of an amount of one major unit (1 EUR, 1 JPY) are
 * the credits that `creditsPerMajorUnit` names for its currency; a currency that is not named gives
 * nothing. Of a purchase only.
 */
export const PercentEffect = Type.Object({
  kind: Type.Literal('percent'),
  basisPoints: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  creditsPerMajorUnit: Type.Record(CurrencyCode, Credits, { minProperties: 1 }),
});
export type PercentEffect = Static<typeof PercentEffect>;

/**
 * By the referrer's count: of distinct users they referred in the campaign with a purchase that is
 * not fully reversed, in canonical order, the purchase in question included. A tier holds from its
 * `fromCount` on; the first has `fromCount` 1 and also serves a count of 0. For the referrer only.
 */
export const TieredEffect = Type.Object({
  kind: Type.Literal('tiered'),
  tiers: Type.Array(
    Type.Object({
      fromCount: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      effect: Type.Union([FixedEffect, PercentEffect]),
    }),
    { minItems: 1, maxItems: 20 },
  ),
});
export type TieredEffect = Static<typeof TieredEffect>;

export const Effect = Type.Union([FixedEffect, PercentEffect, TieredEffect]);
export type Effect = Static<typeof Effect>;

/** All that are given must hold; an empty or missing member asks for nothing. */
export const RuleConditions = Type.Object({
  /** One of these; of a purchase only, like all that follow. */
  intervals: Type.Optional(Type.Array(Interval, { minItems: 1 })),
  productKeys: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })),
  currencies: Type.Optional(Type.Array(CurrencyCode, { minItems: 1 })),
  /** Minor units by currency; a currency that is not named does not match. */
  minimumAmounts: Type.Optional(
    Type.Record(CurrencyCode, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
      minProperties: 1,
    }),
  ),
  minimumSeats: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
});
export type RuleConditions = Static<typeof RuleConditions>;

/** UTC calendar periods of `occurredAt`; a week begins on Monday (ISO 8601). */
export const LimitPeriod = Type.Union([
  Type.Literal('day'),
  Type.Literal('week'),
  Type.Literal('month'),
  Type.Literal('lifetime'),
]);
export type LimitPeriod = Static<typeof LimitPeriod>;

/**
 * What one recipient may earn by one rule in a role (referrer or new user) per period: credits, or
 * a number of rewards. In canonical order; the last one is clamped. Room that a refund frees serves
 * facts later than the refund only.
 */
export const RecipientLimit = Type.Object({
  period: LimitPeriod,
  credits: Type.Optional(Credits),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
});
export type RecipientLimit = Static<typeof RecipientLimit>;

export const RuleLimits = Type.Object({
  /** Per referral: only the first so many purchases of a referred user, in canonical order. */
  firstPurchases: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  /** Per referral: calendar months (UTC) from the user's first attributed fact in the campaign. */
  months: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_200 })),
  perRecipient: Type.Optional(Type.Array(RecipientLimit, { minItems: 1, maxItems: 8 })),
});
export type RuleLimits = Static<typeof RuleLimits>;

/**
 * What a refund takes back: the refunded share, everything at the first refund, or nothing.
 */
export const RefundPolicy = Type.Union([
  Type.Literal('proportional'),
  Type.Literal('full'),
  Type.Literal('keep'),
]);
export type RefundPolicy = Static<typeof RefundPolicy>;

/** One rule of a campaign revision. Members that may be absent have the default that they name. */
export const CampaignRule = Type.Object({
  ruleId: Type.String({ minLength: 1, maxLength: 64 }),
  trigger: Type.Union([
    Type.Literal('purchase-created'),
    Type.Literal('signup-created'),
    Type.Literal('demo-attended'),
  ]),
  recipient: Type.Union([Type.Literal('referrer'), Type.Literal('new-user'), Type.Literal('both')]),
  /** For the recipient; with `both` for the referrer. */
  effect: Effect,
  /** With `both`, and only then: for the new user. */
  newUserEffect: Type.Optional(Type.Union([FixedEffect, PercentEffect])),
  /** Absent: every fact of the trigger. */
  conditions: Type.Optional(RuleConditions),
  /** Absent: none. */
  limits: Type.Optional(RuleLimits),
  /** Days from receipt until the reward may be issued. Absent: 0. */
  holdDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_650 })),
  /** Absent: proportional. */
  refundPolicy: Type.Optional(RefundPolicy),
});
export type CampaignRule = Static<typeof CampaignRule>;
