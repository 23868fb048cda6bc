import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';

/** 1 to 2: first and last name, as a widget boot gives them. */
export const personSchemaVersion = 2 as const;

/**
 * E-mail and name of one person on `referral.people`, the only place in Kafka that has them
 * (design 3). A tombstone erases.
 */
export const PersonRecord = Type.Object({
  schemaVersion: Type.Literal(personSchemaVersion),
  tenantId: Type.String({ minLength: 1 }),
  userId: Type.String({ minLength: 1 }),
  email: Type.Optional(Type.String()),
  /** The whole name. */
  name: Type.Optional(Type.String()),
  /** From a widget boot only. */
  firstName: Type.Optional(Type.String()),
  lastName: Type.Optional(Type.String()),
  receivedAt: Type.String(),
  /** The event that brought it; absent when it came from a widget boot. */
  eventId: Type.Optional(Type.String()),
});
export type PersonRecord = Static<typeof PersonRecord>;

/**
 * The key of a segment-roll marker on `referral.people`: without the colon of `tenantId:userId` it
 * is nobody's. Its record is a tombstone, sent so that segments are closed and compacted where
 * nothing else happens (design 5); readers ignore it.
 */
export function segmentRollKey(n: number): string {
  return `heartbeat-${n}`;
}

export const personCodec = createCodec({
  name: 'person',
  schemaVersion: personSchemaVersion,
  schema: PersonRecord,
  upcasters: { 1: (older) => ({ ...older, schemaVersion: 2 }) },
});
