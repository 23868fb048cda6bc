import type { StripeShape } from './api-version.ts';

// What a fake account holds, in no API version's shape. Times are Unix seconds, amounts Stripe's
// minor units, currencies lower case as Stripe writes them.

export type CustomerState = {
  id: string;
  created: number;
  metadata: Record<string, string>;
  deleted: boolean;
};

export type PriceInterval = { unit: 'day' | 'week' | 'month' | 'year'; count: number };

export type PriceState = {
  id: string;
  created: number;
  currency: string;
  unitAmount: number;
  productId: string;
  /** null: paid once. */
  interval: PriceInterval | null;
};

export type SubscriptionState = {
  id: string;
  created: number;
  customerId: string;
  currency: string;
  status: 'trialing' | 'active' | 'past_due' | 'canceled';
  items: { id: string; created: number; priceId: string; quantity: number }[];
  trial: { start: number; end: number } | null;
  period: { start: number; end: number };
  latestInvoiceId: string | null;
};

export type LineState = {
  id: string;
  amount: number;
  quantity: number | null;
  description: string;
  priceId: string | null;
  /** The subscription it belongs to, prorations included; null: an invoice item of its own. */
  subscriptionId: string | null;
  subscriptionItemId: string | null;
  proration: boolean;
  /** What made it: the subscription's item, or an invoice item. */
  madeBy: 'subscription-item' | 'invoice-item';
  period: { start: number; end: number };
};

export type InvoiceState = {
  id: string;
  created: number;
  paidAt: number | null;
  number: string | null;
  status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';
  billingReason: 'manual' | 'subscription_create' | 'subscription_cycle' | 'subscription_update';
  customerId: string | null;
  subscriptionId: string | null;
  currency: string;
  lines: LineState[];
  subtotal: number;
  total: number;
  /** null: Stripe does not say. */
  totalExcludingTax: number | null;
  tax: number | null;
  amountPaid: number;
  paidOutOfBand: boolean;
};

/** What paid (a part of) an invoice: `invoice_payment` of new API versions. */
export type InvoicePaymentState = {
  id: string;
  created: number;
  invoiceId: string;
  amount: number;
  currency: string;
  isDefault: boolean;
  paymentIntentId: string | null;
  chargeId: string | null;
};

export type PaymentIntentState = {
  id: string;
  created: number;
  customerId: string | null;
  currency: string;
  amount: number;
  status: 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled';
  chargeId: string | null;
  invoiceId: string | null;
};

export type ChargeState = {
  id: string;
  created: number;
  customerId: string | null;
  paymentIntentId: string | null;
  invoiceId: string | null;
  currency: string;
  amount: number;
};

export type RefundStatus = 'pending' | 'requires_action' | 'succeeded' | 'failed' | 'canceled';

export type RefundState = {
  id: string;
  created: number;
  chargeId: string;
  amount: number;
  currency: string;
  status: RefundStatus;
};

export type SessionState = {
  id: string;
  created: number;
  customerId: string | null;
  mode: 'payment' | 'setup' | 'subscription';
  paymentStatus: 'paid' | 'unpaid' | 'no_payment_required';
  /** An invoice is made of the payment afterwards. */
  makesInvoice: boolean;
  status: 'open' | 'complete' | 'expired';
  currency: string | null;
  amountTotal: number | null;
  amountTax: number;
  invoiceId: string | null;
  paymentIntentId: string | null;
  subscriptionId: string | null;
  lines: { id: string; amount: number; quantity: number; priceId: string }[];
};

export type EndpointState = {
  id: string;
  created: number;
  url: string;
  enabledEvents: string[];
  apiVersion: string | null;
  metadata: Record<string, string>;
  description: string | null;
  status: 'enabled' | 'disabled';
  secret: string;
};

export type EventKind =
  | 'checkout.session.completed'
  | 'customer.subscription.created'
  | 'customer.subscription.updated'
  | 'invoice.paid'
  | 'charge.refunded';

/** An event with its object as it was then. */
export type StripeEvent = {
  id: string;
  /** One of `EventKind`, or another that a test makes with `account.emit`. */
  kind: string;
  created: number;
  livemode: boolean;
  /** The event's body as Stripe sends it to an endpoint of that shape's API version. */
  body(shape: StripeShape): string;
};
