import { type Static, Type } from '@sinclair/typebox';
import { derivedId } from './derived-id.ts';
import { createCodec } from './record.ts';
import { Id, Remark, UtcTimestamp, Uuid } from './record-text.ts';

/**
 * 1 to 2: what operators did about a dead letter, and how much of a record was left out where not
 * all of it could be kept.
 */
export const deadLetterSchemaVersion = 2 as const;

/** Where the record stands that was put aside. All letters and actions about it have the same. */
const place = {
  /** Name on the broker. */
  topic: Type.String({ minLength: 1, maxLength: 249, pattern: '^[A-Za-z0-9._-]+$' }),
  partition: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
  offset: Type.String({ pattern: '^[0-9]{1,19}$' }),
};
export const DeadLetterPlace = Type.Object(place);
export type DeadLetterPlace = Static<typeof DeadLetterPlace>;

/** A record that breaks its own contract, with where it came from and why it was put aside. */
export const DeadLetterRecord = Type.Object({
  schemaVersion: Type.Literal(deadLetterSchemaVersion),
  type: Type.Literal('put-aside'),
  /** Identifies this record for this reader: each reader of a topic writes a letter of its own. */
  deadLetterId: Type.String(),
  origin: Type.Object({
    ...place,
    /** As text, in a form that every table takes. */
    key: Type.Union([Type.String(), Type.Null()]),
    /** The bytes as base64, where the text says them differently. */
    keyBytes: Type.Optional(Type.String()),
  }),
  /** The consumer group that could not read it. */
  reader: Id,
  reason: Type.Union([Type.Literal('not-json'), Type.Literal('schema')]),
  /** Pointer and expectation; never a value. */
  detail: Type.String(),
  /** The bytes as base64; null for records of `referral.people`. */
  value: Type.Union([Type.String(), Type.Null()]),
  /** How many bytes there were, when only the first of them were kept. */
  cutFromBytes: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Append time of the origin record, milliseconds since the epoch. */
  originTimestampMs: Type.Number(),
});
export type DeadLetterRecord = Static<typeof DeadLetterRecord>;

/**
 * What an operator did about a record that was put aside. `redriven`: its bytes are on its topic
 * once more, behind everything else; written when they are. `discarded`: nothing is to be done.
 * Redriven wins over discarded, whichever came first, and of each kind the first holds.
 */
export const DeadLetterActionRecord = Type.Object({
  schemaVersion: Type.Literal(deadLetterSchemaVersion),
  type: Type.Union([Type.Literal('redriven'), Type.Literal('discarded')]),
  actionId: Uuid,
  origin: DeadLetterPlace,
  /** Who said so, as the caller of the admin API named them: 255 characters at their longest. */
  by: Id,
  /** 1,000 characters at their longest. */
  note: Type.Optional(Remark),
  at: UtcTimestamp,
});
export type DeadLetterActionRecord = Static<typeof DeadLetterActionRecord>;

/** What `referral.dead-letters` holds. */
export const DeadLetterFact = Type.Union([DeadLetterRecord, DeadLetterActionRecord]);
export type DeadLetterFact = Static<typeof DeadLetterFact>;

export const deadLetterCodec = createCodec({
  name: 'dead-letter',
  schemaVersion: deadLetterSchemaVersion,
  schema: DeadLetterFact,
  upcasters: { 1: liftFirst },
});

/** Version 1 said in words only that a value was cut. */
function liftFirst(older: Record<string, unknown>): unknown {
  const { detail } = older;
  const cut = typeof detail === 'string' ? /; value cut from (\d+) bytes$/.exec(detail) : null;
  return {
    ...older,
    schemaVersion: 2,
    type: 'put-aside',
    ...(cut?.[1] !== undefined && { cutFromBytes: Number(cut[1]) }),
  };
}

/** What several readers put aside is one item for operators: the record that all of them met. */
export function deadLetterItemId({ topic, partition, offset }: DeadLetterPlace): string {
  return derivedId('dead-letter-item', topic, partition, offset);
}

/** The same for everybody who does it: twice is once. */
export function deadLetterActionId(
  { topic, partition, offset }: DeadLetterPlace,
  type: DeadLetterActionRecord['type'],
): string {
  return derivedId('dead-letter-action', topic, partition, offset, type);
}
