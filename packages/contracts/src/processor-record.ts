import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';
import { Id, TenantId, UtcTimestamp } from './record-text.ts';

export const processorSchemaVersion = 1 as const;

/**
 * What a payment processor told or was asked, on `referral.processor`, before anything is made of
 * it: a webhook is answered once its record is acknowledged, and facts for `referral.events` follow
 * from these records alone (docs/decisions/0014). Objects are those members of Stripe's that a fact
 * is made of, in one form for all versions of its API; they never hold an e-mail, a name or an
 * address.
 */
const Seconds = Type.Integer({ minimum: 0 });
/** Minor units as Stripe counts them, which are not ISO 4217's for some currencies. */
const StripeAmount = Type.Integer();
/** As Stripe writes it, lower case. */
const StripeCurrency = Type.String({ minLength: 1, maxLength: 16, pattern: '^[^\\u0000]*$' });
const NullableId = Type.Union([Id, Type.Null()]);

export const StripeInterval = Type.Object({
  unit: Type.Union([
    Type.Literal('day'),
    Type.Literal('week'),
    Type.Literal('month'),
    Type.Literal('year'),
  ]),
  count: Type.Integer({ minimum: 1 }),
});
export type StripeInterval = Static<typeof StripeInterval>;

/** Immutable at Stripe, so it does not matter when it was read. */
export const StripePrice = Type.Object({
  object: Type.Literal('price'),
  id: Id,
  productId: NullableId,
  /** null: paid once. */
  interval: Type.Union([StripeInterval, Type.Null()]),
});
export type StripePrice = Static<typeof StripePrice>;

export const StripeLine = Type.Object({
  id: NullableId,
  amount: StripeAmount,
  quantity: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  /** A line of a subscription, prorations too. */
  recurring: Type.Boolean(),
  proration: Type.Boolean(),
  priceId: NullableId,
  productId: NullableId,
  subscriptionId: NullableId,
});
export type StripeLine = Static<typeof StripeLine>;

/** The largest number of lines, refunds or payments of one object that a record takes. */
export const mostStripeParts = 1_000;

export const StripeInvoice = Type.Object({
  object: Type.Literal('invoice'),
  id: Id,
  customerId: NullableId,
  number: NullableId,
  status: Type.Union([Type.String(), Type.Null()]),
  currency: StripeCurrency,
  amountPaid: StripeAmount,
  total: StripeAmount,
  /** null: Stripe does not say, and there is no tax. */
  totalExcludingTax: Type.Union([StripeAmount, Type.Null()]),
  createdAt: Seconds,
  paidAt: Type.Union([Seconds, Type.Null()]),
  subscriptionId: NullableId,
  /** Which payments paid it; null when this version of the API does not say on the invoice. */
  payments: Type.Union([
    Type.Object({
      paymentIntentIds: Type.Array(Id, { maxItems: mostStripeParts }),
      chargeIds: Type.Array(Id, { maxItems: mostStripeParts }),
    }),
    Type.Null(),
  ]),
  lines: Type.Array(StripeLine, { maxItems: mostStripeParts }),
  /** The invoice has further lines. */
  moreLines: Type.Boolean(),
  /** Prices that the lines carry whole (API versions before 2025-03-31). */
  prices: Type.Array(StripePrice, { maxItems: mostStripeParts }),
});
export type StripeInvoice = Static<typeof StripeInvoice>;

export const StripeCheckoutSession = Type.Object({
  object: Type.Literal('checkout-session'),
  id: Id,
  customerId: NullableId,
  mode: Type.String(),
  paymentStatus: Type.String(),
  invoiceId: NullableId,
  /** An invoice is made of the payment afterwards, and its id may not be there yet. Absent: no. */
  makesInvoice: Type.Optional(Type.Boolean()),
  paymentIntentId: NullableId,
  currency: Type.Union([StripeCurrency, Type.Null()]),
  amountTotal: Type.Union([StripeAmount, Type.Null()]),
  amountTax: Type.Union([StripeAmount, Type.Null()]),
  createdAt: Seconds,
});
export type StripeCheckoutSession = Static<typeof StripeCheckoutSession>;

export const StripeRefund = Type.Object({
  id: Id,
  amount: StripeAmount,
  currency: StripeCurrency,
  /** `succeeded`, `pending`, `requires_action`, `failed`, `canceled`, or null. */
  status: Type.Union([Type.String(), Type.Null()]),
  createdAt: Seconds,
});
export type StripeRefund = Static<typeof StripeRefund>;

export const StripeCharge = Type.Object({
  object: Type.Literal('charge'),
  id: Id,
  customerId: NullableId,
  paymentIntentId: NullableId,
  /**
   * null: no invoice. Absent: this version of the API does not say on the charge (2025-03-31 and
   * later), so the invoice payments are asked.
   */
  invoiceId: Type.Optional(NullableId),
  currency: StripeCurrency,
  amount: StripeAmount,
  amountRefunded: StripeAmount,
  createdAt: Seconds,
  /** All refunds of the charge, when the charge carries them all. */
  refunds: Type.Optional(Type.Array(StripeRefund, { maxItems: mostStripeParts })),
});
export type StripeCharge = Static<typeof StripeCharge>;

/**
 * Only the prices of a subscription are of use: interval and product of lines that name a price.
 */
export const StripeSubscription = Type.Object({
  object: Type.Literal('subscription'),
  id: Id,
  customerId: NullableId,
  prices: Type.Array(StripePrice, { maxItems: mostStripeParts }),
});
export type StripeSubscription = Static<typeof StripeSubscription>;

export const StripeCustomer = Type.Object({
  object: Type.Literal('customer'),
  id: Id,
  deleted: Type.Boolean(),
  /**
   * Metadata `service_ucc` and `new_user_id` (interface 6.2 rule 1), as they are; null when absent.
   */
  ucc: Type.Union([Type.String({ maxLength: 1_000, pattern: '^[^\\u0000]*$' }), Type.Null()]),
  newUserId: Type.Union([Type.String({ maxLength: 1_000, pattern: '^[^\\u0000]*$' }), Type.Null()]),
});
export type StripeCustomer = Static<typeof StripeCustomer>;

/** All refunds of a charge, as listed. */
export const StripeRefunds = Type.Object({
  object: Type.Literal('refunds'),
  chargeId: Id,
  refunds: Type.Array(StripeRefund, { maxItems: mostStripeParts }),
});
export type StripeRefunds = Static<typeof StripeRefunds>;

/** What paid an invoice, where the invoice does not say. */
export const StripeInvoicePayments = Type.Object({
  object: Type.Literal('invoice-payments'),
  invoiceId: Id,
  paymentIntentIds: Type.Array(Id, { maxItems: mostStripeParts }),
  chargeIds: Type.Array(Id, { maxItems: mostStripeParts }),
});
export type StripeInvoicePayments = Static<typeof StripeInvoicePayments>;

/** Which invoice a payment intent paid; null when none. */
export const StripePaymentInvoice = Type.Object({
  object: Type.Literal('payment-invoice'),
  paymentIntentId: Id,
  invoiceId: NullableId,
});
export type StripePaymentInvoice = Static<typeof StripePaymentInvoice>;

/**
 * All lines of an invoice that has more than it carries; and of a checkout session, which carries
 * none.
 */
export const StripeLines = Type.Object({
  object: Type.Union([Type.Literal('invoice-lines'), Type.Literal('session-lines')]),
  /** The id of the invoice or the session. */
  ownerId: Id,
  lines: Type.Array(StripeLine, { maxItems: mostStripeParts }),
  prices: Type.Array(StripePrice, { maxItems: mostStripeParts }),
});
export type StripeLines = Static<typeof StripeLines>;

/** The charge that a payment intent ended in, with its time; null when it was not paid. */
export const StripePaymentIntent = Type.Object({
  object: Type.Literal('payment-intent'),
  id: Id,
  charge: Type.Union([Type.Object({ id: Id, createdAt: Seconds }), Type.Null()]),
});
export type StripePaymentIntent = Static<typeof StripePaymentIntent>;

/** What can be asked of Stripe by an id. */
export const FetchedType = Type.Union([
  Type.Literal('customer'),
  Type.Literal('price'),
  Type.Literal('invoice'),
  Type.Literal('checkout-session'),
  Type.Literal('charge'),
  Type.Literal('refunds'),
  Type.Literal('invoice-payments'),
  Type.Literal('payment-invoice'),
  Type.Literal('invoice-lines'),
  Type.Literal('session-lines'),
  Type.Literal('payment-intent'),
]);
export type FetchedType = Static<typeof FetchedType>;

/** Stripe has no such object (404). */
export const StripeAbsent = Type.Object({
  object: Type.Literal('absent'),
  type: FetchedType,
  id: Id,
});
export type StripeAbsent = Static<typeof StripeAbsent>;

/**
 * An object of a kind that is used, in a shape that this version does not read; asked for by its id
 * later.
 */
export const StripeUnreadable = Type.Object({
  object: Type.Literal('unreadable'),
  type: Type.Union([
    Type.Literal('invoice'),
    Type.Literal('checkout-session'),
    Type.Literal('charge'),
  ]),
  id: Id,
  customerId: NullableId,
  /** Which member is wrong and what it should be; no value of the object. */
  detail: Type.String({ maxLength: 1_000 }),
});
export type StripeUnreadable = Static<typeof StripeUnreadable>;

export const StripeObject = Type.Union([
  StripeInvoice,
  StripeCheckoutSession,
  StripeCharge,
  StripeSubscription,
  StripeCustomer,
  StripePrice,
  StripeRefunds,
  StripeInvoicePayments,
  StripePaymentInvoice,
  StripeLines,
  StripePaymentIntent,
  StripeAbsent,
  StripeUnreadable,
]);
export type StripeObject = Static<typeof StripeObject>;

/** Which amount of an invoice is what was paid: with tax or without. Fixed for a connection. */
export const TaxPolicy = Type.Union([Type.Literal('gross'), Type.Literal('net')]);
export type TaxPolicy = Static<typeof TaxPolicy>;

/** Opaque, in the path of the webhook: `/processor/stripe/{connectionId}`. */
export const ConnectionId = Type.String({ pattern: '^[0-9a-z]{16,40}$' });

const common = {
  schemaVersion: Type.Literal(processorSchemaVersion),
  tenantId: TenantId,
  connectionId: ConnectionId,
  processor: Type.Literal('stripe'),
  /**
   * What the record is about, and its key: the id of the customer, else of the object. All that
   * bears on the payments of one customer is in one partition.
   */
  subject: Id,
  /** The service's clock when it was received or fetched, UTC with milliseconds. */
  receivedAt: UtcTimestamp,
  /** The policy that the connection had then. */
  taxPolicy: TaxPolicy,
};

/** Why an event of the processor led to nothing, by itself and for good. */
export const IgnoredReason = Type.Union([
  /** Not one of the five kinds of interface 6.2. */
  Type.Literal('kind-not-used'),
  /** A test event at a production deployment, or a live one at a sandbox. */
  Type.Literal('other-mode'),
  /** Our own, to try the way in. */
  Type.Literal('connection-test'),
]);
export type IgnoredReason = Static<typeof IgnoredReason>;

/** An event of the processor, signed by it. */
export const ProcessorReceived = Type.Object({
  ...common,
  type: Type.Literal('received'),
  processorEventId: Id,
  kind: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]*$' }),
  livemode: Type.Boolean(),
  /** When the event happened at the processor. */
  createdAt: Seconds,
  apiVersion: Type.Union([Type.String({ maxLength: 64, pattern: '^[^\\u0000]*$' }), Type.Null()]),
  /** Absent when ignored for its kind or as a test; of another mode it is there, to be listed. */
  object: Type.Optional(StripeObject),
  ignored: Type.Optional(IgnoredReason),
});
export type ProcessorReceived = Static<typeof ProcessorReceived>;

/** An object that was asked of the processor: to complete a fact, or by a reconciliation. */
export const ProcessorFetched = Type.Object({
  ...common,
  type: Type.Literal('fetched'),
  cause: Type.Union([Type.Literal('need'), Type.Literal('reconcile')]),
  object: StripeObject,
});
export type ProcessorFetched = Static<typeof ProcessorFetched>;

export const ProcessorRecord = Type.Union([ProcessorReceived, ProcessorFetched]);
export type ProcessorRecord = Static<typeof ProcessorRecord>;

export const processorCodec = createCodec({
  name: 'processor',
  schemaVersion: processorSchemaVersion,
  schema: ProcessorRecord,
});
