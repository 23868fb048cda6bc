import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';
import { Id, Remark, TenantId, UtcTimestamp, Uuid } from './record-text.ts';

/** 1 to 2: what happens to a delivery beside attempts, and rounds. */
export const deliverySchemaVersion = 2 as const;

/** What an integer of Postgres holds: a record of worse must not stop its partition. */
const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

const common = {
  schemaVersion: Type.Literal(deliverySchemaVersion),
  tenantId: TenantId,
  /** The webhook's `eventId`, the same on every attempt. */
  webhookEventId: Uuid,
  issuanceId: Uuid,
  /**
   * How often an operator asked for it anew once it was finished: 0, 1, …. Each round has the whole
   * schedule and horizon. What a later round says supersedes an earlier one.
   */
  round: Count,
};

/** One delivery attempt and its outcome, on `referral.deliveries`. */
export const DeliveryRecord = Type.Object({
  ...common,
  type: Type.Literal('attempted'),
  /** 1, 2, … through all rounds. */
  attempt: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  /**
   * Places of the schedule that this round has used up, this attempt included. A failed probe of an
   * open breaker uses up none.
   */
  step: Count,
  outcome: Type.Union([
    Type.Literal('delivered'),
    Type.Literal('failed'),
    Type.Literal('exhausted'),
  ]),
  /** How the exchange ended: an HTTP answer, or why there was none. */
  result: Type.Union([
    Type.Literal('status'),
    Type.Literal('timeout'),
    Type.Literal('refused'),
    Type.Literal('reset'),
    Type.Literal('dns_error'),
    Type.Literal('tls_error'),
    Type.Literal('blocked'),
    Type.Literal('no-endpoint'),
  ]),
  statusCode: Type.Optional(Count),
  startedAt: UtcTimestamp,
  durationMs: Count,
  nextAttemptAt: Type.Optional(UtcTimestamp),
});
export type DeliveryRecord = Static<typeof DeliveryRecord>;

/** The horizon passed while nothing could be sent: a breaker was open, or the endpoint paused. */
export const DeliveryExpiryRecord = Type.Object({
  ...common,
  type: Type.Literal('expired'),
  /** Attempts made until then, in all rounds. */
  attempts: Count,
  at: UtcTimestamp,
});
export type DeliveryExpiryRecord = Static<typeof DeliveryExpiryRecord>;

/** An operator asked for a finished delivery anew; `round` is the one that this opens. */
export const DeliveryResendRecord = Type.Object({
  ...common,
  type: Type.Literal('resent'),
  /** Attempts made until then, in all rounds. */
  attempts: Count,
  /** Who said so, as the caller of the admin API named them: 255 characters at their longest. */
  by: Id,
  /** 1,000 characters at their longest. */
  note: Type.Optional(Remark),
  at: UtcTimestamp,
});
export type DeliveryResendRecord = Static<typeof DeliveryResendRecord>;

/** What `referral.deliveries` holds. */
export const DeliveryFact = Type.Union([
  DeliveryRecord,
  DeliveryExpiryRecord,
  DeliveryResendRecord,
]);
export type DeliveryFact = Static<typeof DeliveryFact>;

export const deliveryCodec = createCodec({
  name: 'delivery',
  schemaVersion: deliverySchemaVersion,
  schema: DeliveryFact,
  upcasters: {
    1: (older) => ({
      ...older,
      schemaVersion: 2,
      type: 'attempted',
      round: 0,
      step: older['attempt'],
    }),
  },
});
