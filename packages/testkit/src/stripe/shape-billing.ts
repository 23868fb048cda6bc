import type * as state from './account-state.ts';
import { get, paymentsOf, type AccountStore } from './account-store.ts';
import type { StripeShape } from './api-version.ts';
import { fixture, type Json } from './fixtures.ts';

// Prices, subscriptions and invoices as Stripe writes them: the official fixture with what the
// account says. Members that official fixtures of the new shape fill with made-up objects, and that
// say something about money, are emptied.

export type Context = { store: AccountStore; shape: StripeShape };

/** Stripe embeds this many parts of a list in an object. */
export const embeddedParts = 10;

export function list(url: string, all: Json[], shown = embeddedParts): Json {
  return { object: 'list', data: all.slice(0, shown), has_more: all.length > shown, url };
}

export function shapePrice({ store, shape }: Context, price: state.PriceState): Json {
  const { recurring } = fixture(shape, 'price') as { recurring: Json };
  const interval = price.interval;
  return fixture(shape, 'price', {
    ...{ id: price.id, created: price.created, livemode: store.livemode },
    ...{ currency: price.currency, product: price.productId, unit_amount: price.unitAmount },
    ...{ unit_amount_decimal: String(price.unitAmount), custom_unit_amount: null },
    ...{ transform_quantity: null, type: interval === null ? 'one_time' : 'recurring' },
    recurring:
      interval === null
        ? null
        : { ...recurring, interval: interval.unit, interval_count: interval.count },
  });
}

export function shapeSubscription(context: Context, subscription: state.SubscriptionState): Json {
  const { store, shape } = context;
  const { id, period, trial } = subscription;
  const items = subscription.items.map((item) => {
    const inPeriod = { current_period_start: period.start, current_period_end: period.end };
    return fixture(shape, 'subscription_item', {
      ...{ id: item.id, created: item.created, quantity: item.quantity, subscription: id },
      ...{ price: shapePrice(context, get(store.prices, item.priceId)), billing_thresholds: null },
      ...(shape === 'new' ? inPeriod : {}),
    });
  });
  const ofShape =
    shape === 'old'
      ? { current_period_start: period.start, current_period_end: period.end }
      : { billing_cycle_anchor_config: null, billing_schedules: [] };
  return fixture(shape, 'subscription', {
    ...{ id, created: subscription.created, customer: subscription.customerId },
    ...{ status: subscription.status, currency: subscription.currency, livemode: store.livemode },
    ...{ latest_invoice: subscription.latestInvoiceId, start_date: subscription.created },
    ...{ trial_start: trial?.start ?? null, trial_end: trial?.end ?? null },
    ...{ billing_cycle_anchor: trial?.end ?? subscription.created },
    ...{ cancel_at: null, canceled_at: null, cancel_at_period_end: false, ended_at: null },
    ...{ pending_update: null, pause_collection: null, transfer_data: null },
    ...{ billing_thresholds: null, pending_invoice_item_interval: null },
    ...{ next_pending_invoice_item_invoice: null },
    ...ofShape,
    items: list(`/v1/subscription_items?subscription=${id}`, items),
  });
}

export function shapeLine(
  context: Context,
  invoice: state.InvoiceState,
  line: state.LineState,
): Json {
  const common = {
    ...{ id: line.id, amount: line.amount, currency: invoice.currency, quantity: line.quantity },
    ...{ description: line.description, livemode: context.store.livemode, period: line.period },
  };
  return context.shape === 'old'
    ? oldLine(context, line, common)
    : newLine(context, invoice, line, common);
}

function oldLine(context: Context, line: state.LineState, common: Json): Json {
  const price = line.priceId === null ? null : get(context.store.prices, line.priceId);
  const official = fixture('old', 'line_item', {
    ...common,
    ...{ amount_excluding_tax: line.amount, proration: line.proration },
    ...{ price: price === null ? null : shapePrice(context, price) },
    ...{ subscription: line.subscriptionId, invoice_item: invoiceItem(line) },
    type: line.madeBy === 'subscription-item' ? 'subscription' : 'invoiceitem',
    unit_amount_excluding_tax: price === null ? null : String(price.unitAmount),
  });
  if (line.madeBy === 'invoice-item') return official;
  const { invoice_item: _, ...made } = official;
  return { ...made, subscription_item: line.subscriptionItemId };
}

function newLine(
  { store }: Context,
  invoice: state.InvoiceState,
  line: state.LineState,
  common: Json,
): Json {
  const price = line.priceId === null ? null : get(store.prices, line.priceId);
  const details = { proration: line.proration, proration_details: null };
  const byItem = line.madeBy === 'subscription-item';
  const subscription = line.subscriptionId;
  const subscriptionItem = line.subscriptionItemId;
  const ofItem = { invoice_item: null, subscription, subscription_item: subscriptionItem };
  const ofInvoiceItem = { invoice_item: invoiceItem(line), subscription };
  return fixture('new', 'line_item', {
    ...common,
    ...{ invoice: invoice.id, subtotal: line.amount, taxes: [] },
    quantity_decimal: line.quantity === null ? null : String(line.quantity),
    parent: {
      invoice_item_details: byItem ? null : { ...details, ...ofInvoiceItem },
      subscription_item_details: byItem ? { ...details, ...ofItem } : null,
      type: byItem ? 'subscription_item_details' : 'invoice_item_details',
    },
    pricing: price && {
      price_details: { price: price.id, product: price.productId },
      ...{ type: 'price_details', unit_amount_decimal: String(price.unitAmount) },
    },
  });
}

const invoiceItem = (line: state.LineState) => line.id.replace(/^il_/, 'ii_');

export function shapeInvoice(context: Context, invoice: state.InvoiceState): Json {
  const { store, shape } = context;
  const { id, total, amountPaid } = invoice;
  const lines = invoice.lines.map((line) => shapeLine(context, invoice, line));
  return fixture(shape, 'invoice', {
    ...{ id, created: invoice.created, livemode: store.livemode, number: invoice.number },
    ...{ status: invoice.status, currency: invoice.currency, customer: invoice.customerId },
    ...{ amount_due: Math.max(0, total), amount_paid: amountPaid, amount_remaining: 0 },
    ...{ subtotal: invoice.subtotal, total, total_excluding_tax: invoice.totalExcludingTax },
    subtotal_excluding_tax: invoice.totalExcludingTax,
    ...{ billing_reason: invoice.billingReason, attempt_count: 1, attempted: true },
    ...{ auto_advance: false, due_date: null, next_payment_attempt: null },
    ...{ customer_address: null, customer_shipping: null, from_invoice: null },
    ...{ last_finalization_error: null, ending_balance: 0 },
    ...{ period_start: invoice.created, period_end: invoice.created },
    status_transitions: {
      ...{ finalized_at: invoice.created, marked_uncollectible_at: null },
      ...{ paid_at: invoice.paidAt, voided_at: null },
    },
    ...(shape === 'old' ? oldInvoice(store, invoice) : newInvoice(invoice)),
    lines: list(`/v1/invoices/${id}/lines`, lines),
  });
}

function oldInvoice(store: AccountStore, invoice: state.InvoiceState): Json {
  const payments = paymentsOf(store, invoice.id);
  const payment = payments.find(({ isDefault }) => isDefault);
  const { tax } = invoice;
  return {
    ...{ paid: invoice.status === 'paid', paid_out_of_band: invoice.paidOutOfBand },
    ...{ charge: payment?.chargeId ?? null, payment_intent: payment?.paymentIntentId ?? null },
    ...{ subscription: invoice.subscriptionId, tax },
    total_tax_amounts:
      tax === null ? [] : [{ amount: tax, inclusive: invoice.total === invoice.subtotal }],
  };
}

function newInvoice(invoice: state.InvoiceState): Json {
  const { tax, subscriptionId: subscription } = invoice;
  const behaviour = invoice.total === invoice.subtotal ? 'inclusive' : 'exclusive';
  return {
    ...{ effective_at: invoice.created, shipping_cost: null, shipping_details: null },
    ...{ amount_paid_off_stripe: invoice.paidOutOfBand ? invoice.amountPaid : 0 },
    amount_overpaid: 0,
    total_taxes: tax === null ? [] : [{ amount: tax, tax_behavior: behaviour }],
    parent: subscription && {
      quote_details: null,
      subscription_details: { metadata: {}, subscription },
      type: 'subscription_details',
    },
  };
}
