import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';
import { Id, ReportedUcc, TenantId, UtcTimestamp, Uuid } from './record-text.ts';

/**
 * A fact on `referral.events`: what a customer's system reported, as accepted. It never holds the
 * e-mail or name of a person (those go to `referral.people` only, design 5).
 */
export const EventSource = Type.Union([
  Type.Literal('v2'),
  Type.Literal('legacy'),
  Type.Literal('processor'),
  Type.Literal('widget'),
]);
export type EventSource = Static<typeof EventSource>;

/** Amounts are whole minor units of `currency` (interface 2.1). */
const payment = {
  /** Absent only on legacy facts; the business key is then derived (design 7). */
  invoiceId: Type.Optional(Id),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  amount: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  /**
   * Processor facts only: other names of the invoice (its number, payment intent, charge). Facts
   * that share any name are about one invoice (design 7, "Business keys").
   */
  aliases: Type.Optional(Type.Array(Id, { maxItems: 20 })),
  /** Processor refunds only: the processor's id of this one refund. */
  refundId: Type.Optional(Id),
  subscription: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      interval: Type.Optional(Type.String()),
      /** Decimal digits: the contract gives seats no upper bound (design 8, "Integers"). */
      seatsUsed: Type.Optional(Type.String({ pattern: '^[0-9]+$' })),
      productKey: Type.Optional(Type.String()),
    }),
  ),
};

/** What was paid or given back: a purchase and a refund have one shape. */
const Payment = Type.Object(payment);
export type Payment = Static<typeof Payment>;

export const Purchase = Payment;
export type Purchase = Static<typeof Purchase>;

/** `amount` is what this one refund gave back; several refunds of an invoice add up. */
export const Refund = Payment;
export type Refund = Static<typeof Refund>;

/**
 * 1 to 2: demo-attended and purchase-refunded. A reader of version 1 stops at them instead of
 * putting accepted facts aside. 2 to 3: names of invoices and refunds at a payment processor. 3 to
 * 4: the access key whose token an event was sent with.
 */
export const eventSchemaVersion = 4 as const;

const common = {
  schemaVersion: Type.Literal(eventSchemaVersion),
  eventId: Uuid,
  tenantId: TenantId,
  source: EventSource,
  /** The service's clock at receipt, UTC with milliseconds. */
  receivedAt: UtcTimestamp,
  /** RFC 3339 with an offset, as the caller wrote it (any fraction, second 60, year 0000). */
  occurredAt: Type.String({ minLength: 20 }),
  /**
   * Exact decimal seconds since the epoch with the full fraction: the canonical order sorts by it.
   */
  occurredAtSeconds: Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$' }),
  /** Legacy only: the timestamp text as sent, when it had no offset or a space (design 8). */
  occurredAtRaw: Type.Optional(Type.String()),
  ucc: ReportedUcc,
  newUser: Type.Object({
    id: Id,
    organizationId: Type.Optional(Id),
  }),
  warnings: Type.Optional(
    Type.Array(
      Type.Object({
        code: Type.String(),
        detail: Type.String(),
        pointer: Type.Optional(Type.String()),
      }),
    ),
  ),
  /** Whose token it was sent with. Nothing is decided by it. */
  accessKeyId: Type.Optional(Id),
  /** For rebuilding Redis from the log, and for nothing else (design 5). */
  idempotency: Type.Optional(Type.Object({ key: Type.String(), fingerprint: Type.String() })),
};

export const PurchaseCreatedEvent = Type.Object({
  ...common,
  eventType: Type.Literal('purchase-created'),
  purchase: Purchase,
});
export type PurchaseCreatedEvent = Static<typeof PurchaseCreatedEvent>;

export const SignupCreatedEvent = Type.Object({
  ...common,
  eventType: Type.Literal('signup-created'),
});
export type SignupCreatedEvent = Static<typeof SignupCreatedEvent>;

export const DemoAttendedEvent = Type.Object({
  ...common,
  eventType: Type.Literal('demo-attended'),
});
export type DemoAttendedEvent = Static<typeof DemoAttendedEvent>;

export const PurchaseRefundedEvent = Type.Object({
  ...common,
  eventType: Type.Literal('purchase-refunded'),
  refund: Refund,
});
export type PurchaseRefundedEvent = Static<typeof PurchaseRefundedEvent>;

export const EventRecord = Type.Union([
  PurchaseCreatedEvent,
  SignupCreatedEvent,
  DemoAttendedEvent,
  PurchaseRefundedEvent,
]);
export type EventRecord = Static<typeof EventRecord>;
export type EventType = EventRecord['eventType'];
/** For schemas of records that name the type of an event. */
export const EventType = Type.Union(EventRecord.anyOf.map((event) => event.properties.eventType));

export const eventCodec = createCodec({
  name: 'event',
  schemaVersion: eventSchemaVersion,
  schema: EventRecord,
  upcasters: {
    1: (older) => ({ ...older, schemaVersion: 2 }),
    2: (older) => ({ ...older, schemaVersion: 3 }),
    3: (older) => ({ ...older, schemaVersion: 4 }),
  },
});
