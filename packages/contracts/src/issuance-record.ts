import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';
import { Id, TenantId, UtcTimestamp, Uuid } from './record-text.ts';

/**
 * A fact on `referral.issuances`: these credits were granted. Never edited, never derived again;
 * `webhookEventId` is fixed here and is the same on every delivery attempt (design 4, promise 7).
 */
export const IssuanceRecord = Type.Object({
  schemaVersion: Type.Literal(1),
  type: Type.Literal('issued'),
  issuanceId: Uuid,
  rewardId: Uuid,
  tenantId: TenantId,
  campaignId: Id,
  recipientId: Id,
  rewardType: Type.Literal('credits'),
  /** Exact decimal, more than zero. */
  credits: Type.String({ pattern: '^(?!0+(\\.0+)?$)[0-9]{1,18}(\\.[0-9]{1,6})?$' }),
  /** UTC with milliseconds. */
  issuedAt: UtcTimestamp,
  webhookEventId: Uuid,
});
export type IssuanceRecord = Static<typeof IssuanceRecord>;

export const issuanceCodec = createCodec({
  name: 'issuance',
  schemaVersion: 1,
  schema: IssuanceRecord,
});
