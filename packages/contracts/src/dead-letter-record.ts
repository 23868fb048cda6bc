import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';

/** A record that breaks its own contract, with where it came from and why it was put aside. */
export const DeadLetterRecord = Type.Object({
  schemaVersion: Type.Literal(1),
  deadLetterId: Type.String(),
  origin: Type.Object({
    topic: Type.String(),
    partition: Type.Integer({ minimum: 0 }),
    offset: Type.String(),
    key: Type.Union([Type.String(), Type.Null()]),
  }),
  /** The consumer group that could not read it. */
  reader: Type.String(),
  reason: Type.Union([Type.Literal('not-json'), Type.Literal('schema')]),
  /** Pointer and expectation; never a value. */
  detail: Type.String(),
  /** The bytes as base64; null for records of `referral.people`. */
  value: Type.Union([Type.String(), Type.Null()]),
  /** Append time of the origin record, milliseconds since the epoch. */
  originTimestampMs: Type.Number(),
});
export type DeadLetterRecord = Static<typeof DeadLetterRecord>;

export const deadLetterCodec = createCodec({
  name: 'dead-letter',
  schemaVersion: 1,
  schema: DeadLetterRecord,
});
