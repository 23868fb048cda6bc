import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';
import { TenantId, UtcTimestamp, Uuid } from './record-text.ts';

/** One delivery attempt and its outcome, on `referral.deliveries`. */
export const DeliveryRecord = Type.Object({
  schemaVersion: Type.Literal(1),
  tenantId: TenantId,
  /** The webhook's `eventId`, the same on every attempt. */
  webhookEventId: Uuid,
  issuanceId: Uuid,
  /** 1, 2, …; also the version of the delivery. */
  attempt: Type.Integer({ minimum: 1 }),
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
  statusCode: Type.Optional(Type.Integer()),
  startedAt: UtcTimestamp,
  durationMs: Type.Integer({ minimum: 0 }),
  nextAttemptAt: Type.Optional(UtcTimestamp),
});
export type DeliveryRecord = Static<typeof DeliveryRecord>;

export const deliveryCodec = createCodec({
  name: 'delivery',
  schemaVersion: 1,
  schema: DeliveryRecord,
});
