import type * as state from './account-state.ts';
import { get, refundedAmount, refundsOf } from './account-store.ts';
import { fixture, type Json } from './fixtures.ts';
import { list, shapePrice, type Context } from './shape-billing.ts';

// Customers, payments, refunds, checkout sessions and webhook endpoints as Stripe writes them; see
// shape-billing.ts.

export function shapeCustomer({ store, shape }: Context, customer: state.CustomerState): Json {
  const { id } = customer;
  if (customer.deleted) return fixture(shape, 'deleted_customer', { id });
  return fixture(shape, 'customer', {
    ...{ id, created: customer.created, metadata: customer.metadata },
    ...{ livemode: store.livemode, address: null, discount: null, shipping: null },
  });
}

export function shapeInvoicePayment({ store }: Context, payment: state.InvoicePaymentState): Json {
  const { paymentIntentId, chargeId } = payment;
  return fixture('new', 'invoice_payment', {
    ...{ id: payment.id, created: payment.created, invoice: payment.invoiceId },
    ...{ amount_paid: payment.amount, amount_requested: payment.amount },
    ...{ currency: payment.currency, is_default: payment.isDefault, livemode: store.livemode },
    payment:
      paymentIntentId === null
        ? { type: 'charge', charge: chargeId }
        : { type: 'payment_intent', payment_intent: paymentIntentId },
    ...{ status: 'paid', status_transitions: { canceled_at: null, paid_at: payment.created } },
  });
}

export function shapeIntent({ store, shape }: Context, intent: state.PaymentIntentState): Json {
  const { amount, status } = intent;
  return fixture(shape, 'payment_intent', {
    ...{ id: intent.id, created: intent.created, livemode: store.livemode, status },
    ...{ amount, amount_received: status === 'succeeded' ? amount : 0 },
    ...{ currency: intent.currency, customer: intent.customerId, latest_charge: intent.chargeId },
    ...{ canceled_at: null, last_payment_error: null, next_action: null, processing: null },
    ...{ shipping: null, transfer_data: null, client_secret: `${intent.id}_secret_fake` },
    ...(shape === 'old' ? { invoice: intent.invoiceId } : {}),
  });
}

/** Without `refunds`, unless asked for, from 2022-11-15 on. */
export function shapeCharge(context: Context, charge: state.ChargeState): Json {
  const { store, shape } = context;
  const { id, amount } = charge;
  const refunded = refundedAmount(store, id);
  const { refunds: _, ...official } = fixture(shape, 'charge', {
    ...{ id, created: charge.created, livemode: store.livemode, currency: charge.currency },
    ...{ amount, amount_captured: amount, amount_refunded: refunded },
    ...{ captured: true, paid: true, status: 'succeeded', refunded: refunded === amount },
    ...{ customer: charge.customerId, payment_intent: charge.paymentIntentId },
    ...{ shipping: null, transfer_data: null, outcome: null, receipt_url: null },
    ...(shape === 'old' ? { invoice: charge.invoiceId } : {}),
  });
  return store.chargesCarryRefunds
    ? { ...official, refunds: shapeRefundList(context, id) }
    : official;
}

export function shapeRefundList(context: Context, chargeId: string): Json {
  const newestFirst = refundsOf(context.store, chargeId).reverse();
  const refunds = newestFirst.map((refund) => shapeRefund(context, refund));
  return list(`/v1/charges/${chargeId}/refunds`, refunds);
}

export function shapeRefund({ store, shape }: Context, refund: state.RefundState): Json {
  const { id, amount, currency, status, created } = refund;
  const charge = get(store.charges, refund.chargeId);
  const official = fixture(shape, 'refund', {
    ...{ id, amount, currency, status, created },
    ...{ charge: charge.id, payment_intent: charge.paymentIntentId },
  });
  if (status !== 'failed') return official;
  return { ...official, failure_reason: 'lost_or_stolen_card' };
}

export function shapeSession(context: Context, session: state.SessionState): Json {
  const { store, shape } = context;
  const { amountTotal, amountTax } = session;
  const emptied =
    shape === 'new'
      ? { currency_conversion: null, shipping_cost: null, after_expiration: null, discounts: [] }
      : {};
  return fixture(shape, 'checkout.session', {
    ...{ id: session.id, created: session.created, livemode: store.livemode },
    ...{ mode: session.mode, status: session.status, payment_status: session.paymentStatus },
    ...{ customer: session.customerId, currency: session.currency },
    ...{ amount_total: amountTotal, amount_subtotal: amountTotal && amountTotal - amountTax },
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: amountTax },
    ...{ invoice: session.invoiceId, payment_intent: session.paymentIntentId },
    ...{ subscription: session.subscriptionId, url: null, customer_details: null },
    invoice_creation: session.mode === 'payment' ? invoiceCreation(context, session) : null,
    ...emptied,
  });
}

function invoiceCreation({ shape }: Context, { makesInvoice }: state.SessionState): Json {
  const official = fixture(shape, 'checkout.session', {})['invoice_creation'] as Json | null;
  return { ...official, enabled: makesInvoice };
}

export function shapeSessionLine(
  context: Context,
  session: state.SessionState,
  line: state.SessionState['lines'][number],
): Json {
  return fixture(context.shape, 'item', {
    ...{ id: line.id, amount_total: line.amount, amount_subtotal: line.amount },
    ...{ currency: session.currency, quantity: line.quantity },
    price: shapePrice(context, get(context.store.prices, line.priceId)),
    ...(context.shape === 'new' ? { adjustable_quantity: null } : {}),
  });
}

/** Its secret is given away only when it is made. */
export function shapeEndpoint({ store, shape }: Context, endpoint: state.EndpointState): Json {
  return fixture(shape, 'webhook_endpoint', {
    ...{ id: endpoint.id, created: endpoint.created, livemode: store.livemode },
    ...{ url: endpoint.url, enabled_events: endpoint.enabledEvents, status: endpoint.status },
    ...{ api_version: endpoint.apiVersion, metadata: endpoint.metadata },
    description: endpoint.description,
  });
}
