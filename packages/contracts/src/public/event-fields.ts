import { type Static, Type } from '@sinclair/typebox';

/**
 * The fields that v2 events are made of (interface 2.1 to 2.5). Every `description` completes the
 * sentence "expected …": the documents show it, and so does the detail of a violation.
 */
const Ucc = text255('the referral code');

const OccurredAt = Type.String({
  format: 'date-time',
  description: 'an RFC 3339 date-time with T and an explicit offset such as 2026-01-31T12:00:00Z',
});

export const NewUser = Type.Object(
  {
    id: text255("the caller's own stable user identifier"),
    email: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 320,
        format: 'email',
        description: 'an e-mail address (RFC 5321) of 1 to 320 characters, or no such key',
      }),
    ),
    name: Type.Optional(text255('the name of the user')),
    organizationId: Type.Optional(text255('the identifier of an organization')),
  },
  {
    additionalProperties: false,
    description: 'an object with id and optionally email, name and organizationId',
  },
);
export type NewUser = Static<typeof NewUser>;

/** Trimmed before it is measured, stored or compared (interface 4.1 rule 7). */
const IdempotencyKey = Type.Unsafe<string>({
  type: 'string',
  format: 'text',
  trimmedLength: [1, 255],
  description: 'an idempotency key of 1 to 255 characters after trimming',
});

/** What every v2 event has, in the order of interface 2.1. */
export const eventFields = {
  ucc: Ucc,
  occurredAt: OccurredAt,
  newUser: NewUser,
  idempotencyKey: Type.Optional(IdempotencyKey),
};

/** Every v2 body is a closed object. */
export const closedBody = { additionalProperties: false, description: 'a JSON object' } as const;

export const InvoiceId = text255('the identifier of the payment');

export const Amount = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description:
    'a whole number of minor units from 0 to 9007199254740991, written without fraction or exponent',
});

export const Interval = Type.Union([
  Type.Literal('one-time'),
  Type.Literal('weekly'),
  Type.Literal('bi-weekly'),
  Type.Literal('monthly'),
  Type.Literal('quarterly'),
  Type.Literal('semi-annual'),
  Type.Literal('yearly'),
  Type.Literal('biennial'),
  Type.Literal('triennial'),
  Type.Literal('lifetime'),
]);
export type Interval = Static<typeof Interval>;
const intervals = Interval.anyOf.map((literal) => literal.const);

const IntervalField = Type.Unsafe<Interval>({
  type: 'string',
  enum: intervals,
  description: `one of ${intervals.join(', ')}`,
});

const otherSubscriptionFields = {
  /** A bigint beyond 2^53: the contract gives seats no upper bound (design 8, "Integers"). */
  seatsUsed: Type.Optional(
    Type.Unsafe<number | bigint>({
      type: 'integer',
      minimum: 0,
      description: 'a whole number of at least 0, written without fraction or exponent',
    }),
  ),
  productKey: Type.Optional(text255('the plan or product purchased')),
};

/** On purchase-refunded, where every field is optional (interface 2.5). */
export const RefundedSubscription = Type.Object(
  {
    id: Type.Optional(text255('the identifier of the subscription')),
    interval: Type.Optional(IntervalField),
    ...otherSubscriptionFields,
  },
  {
    additionalProperties: false,
    description: 'an object with id, interval, seatsUsed and productKey, each optional',
  },
);
export type RefundedSubscription = Static<typeof RefundedSubscription>;

/** On purchase-created, where `interval` is required (interface 2.5). */
export const PurchasedSubscription = Type.Object(
  {
    id: Type.Optional(text255('the identifier of the subscription')),
    interval: IntervalField,
    ...otherSubscriptionFields,
  },
  { additionalProperties: false, description: 'an object with at least interval' },
);
export type PurchasedSubscription = Static<typeof PurchasedSubscription>;

function text255(meaning: string) {
  return Type.String({
    minLength: 1,
    maxLength: 255,
    format: 'text',
    description: `${meaning}, a string of 1 to 255 characters`,
  });
}
