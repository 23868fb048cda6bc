import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';

/**
 * A fact on `referral.issuances`: these credits were granted. Never edited, never derived again;
 * `webhookEventId` is fixed here and is the same on every delivery attempt (design 4, promise 7).
 */
export const IssuanceRecord = Type.Object({
  schemaVersion: Type.Literal(1),
  type: Type.Literal('issued'),
  issuanceId: Type.String(),
  rewardId: Type.String(),
  tenantId: Type.String({ minLength: 1 }),
  campaignId: Type.String(),
  recipientId: Type.String(),
  rewardType: Type.Literal('credits'),
  /** Exact decimal, more than zero. */
  credits: Type.String({ pattern: '^[0-9]+(\\.[0-9]+)?$' }),
  /** UTC with milliseconds. */
  issuedAt: Type.String(),
  webhookEventId: Type.String(),
});
export type IssuanceRecord = Static<typeof IssuanceRecord>;

export const issuanceCodec = createCodec({
  name: 'issuance',
  schemaVersion: 1,
  schema: IssuanceRecord,
});
