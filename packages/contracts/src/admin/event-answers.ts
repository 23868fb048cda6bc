import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { DecisionRecord, DecisionTest, NotAttributedReason } from '../decision-record.ts';
import { EventType, Purchase, Refund } from '../event-record.ts';
import { asOf, decimal, named, nullable, oneOfTexts, text, utc } from './answer-fields.ts';
import {
  CodeChange,
  Decision,
  DeliveryStep,
  Fact,
  Issuance,
  Revision,
  RewardAction,
} from './record-answers.ts';
import { OpenPart, ShownReward, ShownState } from './reward-answers.ts';

const { outcome } = DecisionRecord.properties;
const role = oneOfTexts('referrer', 'new-user');

/** What of an event a list shows; what is missing has not been read yet. */
export const EventSummary = named(
  'Event',
  Type.Object({
    eventId: text,
    eventType: Type.Optional(EventType),
    source: Type.Optional(text),
    occurredAt: Type.Optional(text),
    receivedAt: utc,
    newUserId: Type.Optional(text),
    ucc: Type.Optional(text),
    purchase: Type.Optional(Purchase),
    refund: Type.Optional(Refund),
    /** `pending` until attribution has decided. */
    outcome: Type.Union([...outcome.anyOf, Type.Literal('pending')]),
    reason: Type.Optional(NotAttributedReason),
    campaignId: Type.Optional(text),
    campaignRevision: Type.Optional(Type.Integer()),
    referrerId: Type.Optional(text),
    duplicateOf: Type.Optional(text),
    refundOf: Type.Optional(text),
    flags: Type.Array(text),
  }),
);

export type EventSummary = Static<typeof EventSummary>;

export const EventWithDecision = Type.Object({
  ...EventSummary.properties,
  /** Whose token it was sent with; absent where that was not recorded, or it was not sent to us. */
  accessKeyId: Type.Optional(text),
  tests: Type.Array(DecisionTest),
  /** Sentences. */
  waitsFor: Type.Array(text),
  rewards: Type.Array(
    Type.Object({
      rewardId: text,
      ruleId: text,
      recipientRole: role,
      recipientId: text,
      state: ShownState,
      entitledCredits: decimal,
      issuedCredits: decimal,
      maturesAt: Type.Optional(utc),
    }),
  ),
  asOf,
});

export const TimelineEntry = named(
  'Timeline entry',
  Type.Union([
    entryOf('event', Type.Object({ fact: nullable(Fact), decision: nullable(Decision) })),
    entryOf('code', CodeChange),
    entryOf('reward', ShownReward),
    entryOf('issuance', Issuance),
    entryOf('action', RewardAction),
    entryOf('delivery', DeliveryStep),
  ]),
);
export type TimelineEntry = Static<typeof TimelineEntry>;

function entryOf<K extends string, S extends TSchema>(kind: K, record: S) {
  return Type.Object({ at: utc, kind: Type.Literal(kind), id: text, record });
}

const balance = {
  entitled: decimal,
  held: decimal,
  review: decimal,
  withheld: decimal,
  issued: decimal,
  reversed: decimal,
  owed: decimal,
};
/** Exact decimals. `owed` may be below zero: then the recipient owes. */
export const Balance = named('Balance', Type.Object(balance));
export type Balance = Static<typeof Balance>;
export const RecipientBalance = Type.Object({
  recipientId: text,
  ...balance,
  campaigns: Type.Array(Type.Object({ campaignId: text, ...balance })),
  asOf,
});
export const CampaignBalance = Type.Object({
  campaignId: text,
  ...balance,
  /** With `moreRecipients` at least so many. */
  recipients: Type.Integer({ minimum: 0 }),
  moreRecipients: Type.Boolean(),
  asOf,
});

/** Another event about the same purchase. */
const Related = Type.Object({
  eventId: text,
  source: text,
  occurredAt: text,
  payment: Type.Optional(Purchase),
  outcome: Type.Optional(outcome),
  reason: Type.Optional(NotAttributedReason),
  flags: Type.Array(text),
});

const IssuanceStory = Type.Object({ issuance: Issuance, deliveries: Type.Array(DeliveryStep) });

const Story = named(
  'Story',
  Type.Object({
    eventId: text,
    fact: Type.Optional(Fact),
    decision: Type.Optional(Decision),
    codeChanges: Type.Array(CodeChange),
    revision: Type.Optional(Revision),
    refunds: Type.Array(Related),
    duplicates: Type.Array(Related),
    rewards: Type.Array(
      Type.Object({
        reward: ShownReward,
        open: Type.Array(OpenPart),
        recipientOwes: decimal,
        issuances: Type.Array(IssuanceStory),
        actions: Type.Array(RewardAction),
      }),
    ),
    silentRules: Type.Array(Type.Object({ ruleId: text, tests: Type.Array(DecisionTest) })),
  }),
);

export const Explanation = named(
  'Explanation',
  Type.Object({
    tenantId: text,
    subject: Type.Object({ kind: oneOfTexts('event', 'invoice', 'user', 'reward'), id: text }),
    stories: Type.Array(Story),
    truncated: Type.Boolean(),
    people: Type.Array(Type.Object({ userId: text, name: nullable(text), email: nullable(text) })),
    account: Type.Optional(
      Type.Object({
        codes: Type.Array(CodeChange),
        balance: Balance,
        rewards: Type.Array(Type.Object({ ...ShownReward.properties, open: Type.Array(OpenPart) })),
      }),
    ),
    issuedWithoutReward: Type.Optional(
      Type.Object({
        credits: decimal,
        count: Type.Integer({ minimum: 1 }),
        issuances: Type.Array(IssuanceStory),
      }),
    ),
    text,
    asOf,
  }),
);
