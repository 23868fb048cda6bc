import { type Static, Type } from '@sinclair/typebox';
import { RuleConditions } from '../campaign-rule.ts';
import { closedObject } from '../closed-object.ts';
import { WidgetTexts, WidgetTheme } from '../widget-settings.ts';

/**
 * `POST /widget/session`: what a booted widget asks and is told. Interface 4.7 says how the widget
 * is booted; the shapes here are ours ("not shown").
 */

const Text = (maxLength: number) => Type.String({ maxLength, format: 'text' });
const Id = Type.String({ minLength: 1, maxLength: 255, format: 'text' });
/** As given at boot (interface 4.7 rule 3). An empty text is as good as an absent one. */
export const ProductUserDetails = closedObject({
  firstName: Type.Optional(Text(255)),
  lastName: Type.Optional(Text(255)),
  fullName: Type.Optional(Text(255)),
  email: Type.Optional(Text(320)),
});
export type ProductUserDetails = Static<typeof ProductUserDetails>;

/** What the attribution script kept in this browser: by which link the user came, and when. */
export const Click = closedObject({ ucc: Id, capturedAt: Type.String({ format: 'date-time' }) });
export type Click = Static<typeof Click>;

export const WidgetSessionRequest = closedObject({
  /**
   * The signed token (interface 5): HS512, claims exactly productId, productUserId, iat. One of a
   * user id of 255 emoji has 4,500 characters where the JWT library escapes all that is not
   * ASCII.
   */
  token: Type.String({ minLength: 1, maxLength: 8_192 }),
  productUserDetails: ProductUserDetails,
  click: Type.Optional(Click),
});
export type WidgetSessionRequest = Static<typeof WidgetSessionRequest>;

/** The detail of the 401, which the widget shows (interface 5 rule 2). */
export const notAuthorizedText = 'This user is not authorized to load the referral widget.';

/**
 * What a referred user has come to, the furthest of their facts that were attributed to this
 * referrer.
 */
export const ReferralState = Type.Union([
  Type.Literal('signed-up'),
  Type.Literal('demo-attended'),
  Type.Literal('purchased'),
  /** Nothing is left of what they bought. */
  Type.Literal('refunded'),
]);
export type ReferralState = Static<typeof ReferralState>;

/**
 * One rule of the campaign, as far as it concerns this user; enough for a sentence in any language.
 */
export const RewardWords = Type.Object({
  ruleId: Type.String(),
  trigger: Type.Union([
    Type.Literal('signup-created'),
    Type.Literal('demo-attended'),
    Type.Literal('purchase-created'),
  ]),
  recipient: Type.Union([Type.Literal('referrer'), Type.Literal('new-user')]),
  reward: Type.Union([
    /** Exact decimal credits. */
    Type.Object({ kind: Type.Literal('fixed'), credits: Type.String() }),
    /**
     * Percent of what is paid as an exact decimal, `12.5`, in credits per major unit of each
     * currency.
     */
    Type.Object({
      kind: Type.Literal('percent'),
      percent: Type.String(),
      creditsPerMajorUnit: Type.Record(Type.String(), Type.String()),
    }),
    /** The lowest and the highest tier, each fixed or percent. */
    Type.Object({
      kind: Type.Literal('tiered'),
      tiers: Type.Array(
        Type.Object({
          fromCount: Type.Integer(),
          credits: Type.Optional(Type.String()),
          percent: Type.Optional(Type.String()),
        }),
      ),
    }),
  ]),
  conditions: Type.Optional(RuleConditions),
  /** Only the first so many purchases of each referred user count. */
  firstPurchases: Type.Optional(Type.Integer()),
  holdDays: Type.Integer(),
});
export type RewardWords = Static<typeof RewardWords>;

export const WidgetSession = Type.Object({
  productUserId: Type.String(),
  /** null: there is no running campaign, or the user's code was disabled. */
  invite: Type.Union([
    Type.Object({ ucc: Type.String(), link: Type.String(), campaignId: Type.String() }),
    Type.Null(),
  ]),
  rules: Type.Array(RewardWords),
  /** What a new user saves: a fraction (0.1 is 10 %), and for how many months. null: nothing. */
  newUserDiscount: Type.Union([
    Type.Object({ percentage: Type.Number(), months: Type.Union([Type.Integer(), Type.Null()]) }),
    Type.Null(),
  ]),
  /** Exact decimals, over all campaigns. What was issued beyond `earned` is to be offset. */
  credits: Type.Object({
    /** Theirs: what they are entitled to after refunds, without what is held. */
    earned: Type.String(),
    /** Still to come: it waits for its hold, or for an operator. */
    held: Type.String(),
    /** Granted and then taken back, by a refund for one; the next credits make up for it first. */
    toOffset: Type.String(),
    /** All that was ever granted. */
    issued: Type.String(),
  }),
  referrals: Type.Object({
    total: Type.Integer(),
    byState: Type.Object({
      'signed-up': Type.Integer(),
      'demo-attended': Type.Integer(),
      purchased: Type.Integer(),
      refunded: Type.Integer(),
    }),
    /** The newest first, at most 50. No ids and no addresses; the name by the tenant's setting. */
    latest: Type.Array(
      Type.Object({
        name: Type.Union([Type.String(), Type.Null()]),
        state: ReferralState,
        /** When they came to that state, UTC. */
        at: Type.String(),
      }),
    ),
  }),
  theme: WidgetTheme,
  texts: WidgetTexts,
});
export type WidgetSession = Static<typeof WidgetSession>;
