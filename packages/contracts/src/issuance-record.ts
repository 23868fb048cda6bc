import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';
import { Id, TenantId, UtcTimestamp, Uuid } from './record-text.ts';

/** 1 to 2: what an operator released or withheld. */
export const issuanceSchemaVersion = 2 as const;

/**
 * A fact on `referral.issuances`: these credits were granted. Never edited, never derived again;
 * `webhookEventId` is fixed here and is the same on every delivery attempt (design 4, promise 7).
 */
export const IssuanceRecord = Type.Object({
  schemaVersion: Type.Literal(issuanceSchemaVersion),
  type: Type.Literal('issued'),
  issuanceId: Uuid,
  rewardId: Uuid,
  tenantId: TenantId,
  campaignId: Id,
  recipientId: Id,
  rewardType: Type.Literal('credits'),
  /** Exact decimal, more than zero. The dearest rule on the largest amount has 36 digits. */
  credits: Type.String({ pattern: '^(?!0+(\\.0+)?$)[0-9]{1,40}(\\.[0-9]{1,6})?$' }),
  /** UTC with milliseconds. */
  issuedAt: UtcTimestamp,
  webhookEventId: Uuid,
});
export type IssuanceRecord = Static<typeof IssuanceRecord>;

/**
 * An operator action on a reward, a fact as well: `released` lets it be issued whatever its hold or
 * review says, `withheld` keeps what is not issued from being issued. Of several the one with the
 * highest `sequence` holds.
 */
export const RewardActionRecord = Type.Object({
  schemaVersion: Type.Literal(issuanceSchemaVersion),
  type: Type.Union([Type.Literal('released'), Type.Literal('withheld')]),
  actionId: Uuid,
  rewardId: Uuid,
  tenantId: TenantId,
  campaignId: Id,
  recipientId: Id,
  /** 1, 2, … within the reward. */
  sequence: Type.Integer({ minimum: 1 }),
  /** Who said so, as the caller of the admin API named them: 255 characters at their longest. */
  by: Type.String({ minLength: 1, maxLength: 510 }),
  /** 1,000 characters at their longest. */
  note: Type.Optional(Type.String({ maxLength: 2_000 })),
  /** UTC with milliseconds. */
  at: UtcTimestamp,
});
export type RewardActionRecord = Static<typeof RewardActionRecord>;

/** What `referral.issuances` holds. */
export const IssuanceFact = Type.Union([IssuanceRecord, RewardActionRecord]);
export type IssuanceFact = Static<typeof IssuanceFact>;

export const issuanceCodec = createCodec({
  name: 'issuance',
  schemaVersion: issuanceSchemaVersion,
  schema: IssuanceFact,
  upcasters: { 1: (older) => ({ ...older, schemaVersion: 2 }) },
});
