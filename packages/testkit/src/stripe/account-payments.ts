import type * as state from './account-state.ts';
import type { AccountBase } from './account-base.ts';
import { emitOf, snapshot } from './account-events.ts';
import { get, refundedAmount } from './account-store.ts';
import type { SessionSpec, StripeAccount } from './stripe-account.ts';

type PaymentOf = {
  customerId: string | null;
  currency: string;
  amount: number;
  invoiceId: string | null;
  created: number;
};

/** A payment that succeeded. */
export function makePayment(
  base: AccountBase,
  of: PaymentOf,
  { withIntent }: { withIntent: boolean },
): { intent: state.PaymentIntentState | null; charge: state.ChargeState } {
  const intent = withIntent ? makeIntent(base, of) : null;
  const { customerId, currency, amount, invoiceId, created } = of;
  const charge: state.ChargeState = {
    ...{ id: base.newId('ch'), paymentIntentId: intent?.id ?? null },
    ...{ customerId, currency, amount, invoiceId, created },
  };
  base.store.charges.set(charge.id, charge);
  if (intent !== null) Object.assign(intent, { status: 'succeeded', chargeId: charge.id });
  return { intent, charge };
}

function makeIntent(base: AccountBase, of: PaymentOf): state.PaymentIntentState {
  const id = base.newId('pi');
  const intent: state.PaymentIntentState = { id, ...of, status: 'processing', chargeId: null };
  base.store.intents.set(id, intent);
  return intent;
}

export function refund(
  base: AccountBase,
  spec: Parameters<StripeAccount['refund']>[0],
): ReturnType<StripeAccount['refund']> {
  const { store } = base;
  const charge = get(store.charges, spec.chargeId);
  const before = refundedAmount(store, charge.id);
  const amount = spec.amount ?? charge.amount - before;
  if (!Number.isInteger(amount) || amount <= 0 || amount > charge.amount - before) {
    throw new Error(`Stripe would refuse to refund ${amount} of ${charge.amount - before}`);
  }
  const made: state.RefundState = {
    ...{ id: base.newId('re'), created: spec.created ?? base.now(), chargeId: charge.id },
    ...{ amount, currency: charge.currency, status: spec.status ?? 'succeeded' },
  };
  store.refunds.set(made.id, made);
  const was = () => ({ amount_refunded: before, refunded: false });
  return { refund: made, event: emitOf(base, 'charge.refunded', charge.id, was) };
}

export function checkout(
  base: AccountBase,
  spec: SessionSpec,
): ReturnType<StripeAccount['checkout']> {
  const { customerId, currency, paymentStatus = 'paid', tax: amountTax = 0 } = spec;
  const created = spec.created ?? base.now();
  const amount = spec.lines.reduce((sum, line) => sum + line.amount, 0);
  const of: PaymentOf = { customerId, currency, amount, invoiceId: null, created };
  const paid = paymentStatus === 'paid' ? makePayment(base, of, { withIntent: true }) : undefined;
  const intent = paid?.intent ?? (paymentStatus === 'unpaid' ? makeIntent(base, of) : null);
  const session: state.SessionState = {
    ...emptySession(base, { customerId, created, mode: 'payment' }),
    ...{ paymentStatus, currency, amountTotal: amount, amountTax },
    ...{ paymentIntentId: intent?.id ?? null, makesInvoice: spec.makesInvoice ?? false },
    lines: spec.lines.map((line) => ({ id: base.newId('li'), quantity: 1, ...line })),
  };
  base.store.sessions.set(session.id, session);
  const event = emitOf(base, 'checkout.session.completed', session.id);
  return { session, intent, charge: paid?.charge ?? null, event };
}

export function paySession(base: AccountBase, id: string): ReturnType<StripeAccount['paySession']> {
  const session = get(base.store.sessions, id);
  const intent = get(base.store.intents, session.paymentIntentId ?? 'payment intent');
  if (session.paymentStatus !== 'unpaid') throw new Error(`${id} is ${session.paymentStatus}`);
  const of = { ...intent, created: base.now() };
  const { charge } = makePayment(base, of, { withIntent: false });
  charge.paymentIntentId = intent.id;
  Object.assign(intent, { status: 'succeeded', chargeId: charge.id });
  session.paymentStatus = 'paid';
  return { intent, charge };
}

export function subscriptionCheckout(
  base: AccountBase,
  spec: Parameters<StripeAccount['subscriptionCheckout']>[0],
): ReturnType<StripeAccount['subscriptionCheckout']> {
  const { store } = base;
  const subscription = get(store.subscriptions, spec.subscriptionId);
  const invoice = spec.invoiceId === null ? undefined : get(store.invoices, spec.invoiceId);
  const created = spec.created ?? base.now();
  const { customerId, currency } = subscription;
  const session: state.SessionState = {
    ...emptySession(base, { customerId, created, mode: 'subscription' }),
    paymentStatus: (invoice?.amountPaid ?? 0) > 0 ? 'paid' : 'no_payment_required',
    ...{ currency, amountTotal: invoice?.total ?? 0, amountTax: invoice?.tax ?? 0 },
    ...{ invoiceId: spec.invoiceId, subscriptionId: subscription.id },
    lines: subscription.items.map(({ priceId, quantity }) => {
      const amount = get(store.prices, priceId).unitAmount * quantity;
      return { id: base.newId('li'), amount, quantity, priceId };
    }),
  };
  store.sessions.set(session.id, session);
  return { session, event: emitOf(base, 'checkout.session.completed', session.id) };
}

export function setupCheckout(
  base: AccountBase,
  spec: Parameters<StripeAccount['setupCheckout']>[0],
): ReturnType<StripeAccount['setupCheckout']> {
  const { customerId, created = base.now() } = spec;
  const session = emptySession(base, { customerId, created, mode: 'setup' });
  base.store.sessions.set(session.id, session);
  return { session, event: emitOf(base, 'checkout.session.completed', session.id) };
}

function emptySession(
  base: AccountBase,
  of: Pick<state.SessionState, 'customerId' | 'created' | 'mode'>,
): state.SessionState {
  return {
    ...{ id: base.newId(base.store.livemode ? 'cs_live' : 'cs_test'), ...of },
    ...{ paymentStatus: 'no_payment_required', status: 'complete', currency: null },
    ...{ amountTotal: null, amountTax: 0, invoiceId: null, paymentIntentId: null },
    ...{ makesInvoice: false, subscriptionId: null, lines: [] },
  };
}

/** What an update of a subscription changed, as the event tells it. */
export function itemsBefore(base: AccountBase, subscriptionId: string) {
  const old = snapshot(base, subscriptionId, 'old')['items'];
  const now = snapshot(base, subscriptionId, 'new')['items'];
  return (shape: 'old' | 'new') => ({ items: shape === 'old' ? old : now });
}
