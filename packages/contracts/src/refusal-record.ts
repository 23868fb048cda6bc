import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';
import { Id, TenantId, UtcTimestamp, Uuid } from './record-text.ts';
import { ViolationCode } from './violation.ts';

export const refusalSchemaVersion = 1 as const;

/** The services whose refusals are kept. */
export const RefusingService = Type.Union([
  Type.Literal('ingest-api'),
  Type.Literal('legacy-events'),
]);
export type RefusingService = Static<typeof RefusingService>;

/** Which rule was broken and where; known-pointer.ts makes the pointer. */
export const RefusedField = Type.Object({
  pointer: Type.String({ maxLength: 500, pattern: '^[^\\u0000]*$' }),
  code: ViolationCode,
});
export type RefusedField = Static<typeof RefusedField>;

/**
 * Requests that were refused alike, within a moment. Nothing of their bodies is in it, nor of what
 * callers wrote elsewhere: a route is one of those that we have, a pointer names members of ours.
 */
export const Refusal = Type.Object({
  firstAt: UtcTimestamp,
  lastAt: UtcTimestamp,
  count: Type.Integer({ minimum: 1 }),
  /** Method and path as declared; `*` for what has no name here. */
  route: Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000]*$' }),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  /** That of the problem document; the legacy endpoint has none. */
  code: Type.Optional(Type.String({ pattern: '^[A-Z_]{1,64}$' })),
  violations: Type.Array(RefusedField, { maxItems: 20 }),
  accessKeyId: Type.Optional(Id),
});
export type Refusal = Static<typeof Refusal>;

/**
 * What one process refused to a tenant within a moment, on `referral.refusals`. Kept for seven days
 * and for people: nothing follows from it, and it may be lost.
 */
export const RefusalRecord = Type.Object({
  schemaVersion: Type.Literal(refusalSchemaVersion),
  refusalId: Uuid,
  tenantId: TenantId,
  service: RefusingService,
  at: UtcTimestamp,
  refusals: Type.Array(Refusal, { maxItems: 50 }),
  /** How many more there were than are told here. */
  omitted: Type.Integer({ minimum: 0 }),
});
export type RefusalRecord = Static<typeof RefusalRecord>;

export const refusalCodec = createCodec({
  name: 'refusal',
  schemaVersion: refusalSchemaVersion,
  schema: RefusalRecord,
});
