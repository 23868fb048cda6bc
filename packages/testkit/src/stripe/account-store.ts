import type * as state from './account-state.ts';

/** All objects of an account; each map in the order in which they were made. */
export type AccountStore = {
  livemode: boolean;
  chargesCarryRefunds: boolean;
  customers: Map<string, state.CustomerState>;
  prices: Map<string, state.PriceState>;
  subscriptions: Map<string, state.SubscriptionState>;
  invoices: Map<string, state.InvoiceState>;
  invoicePayments: Map<string, state.InvoicePaymentState>;
  intents: Map<string, state.PaymentIntentState>;
  charges: Map<string, state.ChargeState>;
  refunds: Map<string, state.RefundState>;
  sessions: Map<string, state.SessionState>;
  endpoints: Map<string, state.EndpointState>;
  events: state.StripeEvent[];
};

export function emptyStore(livemode: boolean, chargesCarryRefunds: boolean): AccountStore {
  return {
    livemode,
    chargesCarryRefunds,
    customers: new Map(),
    prices: new Map(),
    subscriptions: new Map(),
    invoices: new Map(),
    invoicePayments: new Map(),
    intents: new Map(),
    charges: new Map(),
    refunds: new Map(),
    sessions: new Map(),
    endpoints: new Map(),
    events: [],
  };
}

/** Throws when a test names what is not there. */
export function get<T>(map: ReadonlyMap<string, T>, id: string): T {
  const found = map.get(id);
  if (found === undefined) throw new Error(`the account has no ${id}`);
  return found;
}

/** Failed and canceled refunds give nothing back. */
export function counts(refund: state.RefundState): boolean {
  return refund.status !== 'failed' && refund.status !== 'canceled';
}

/** Oldest first. */
export function refundsOf(store: AccountStore, chargeId: string): state.RefundState[] {
  return [...store.refunds.values()].filter((refund) => refund.chargeId === chargeId);
}

/** In minor units. */
export function refundedAmount(store: AccountStore, chargeId: string): number {
  const counting = refundsOf(store, chargeId).filter(counts);
  return counting.reduce((sum, refund) => sum + refund.amount, 0);
}

/** Oldest first. */
export function paymentsOf(store: AccountStore, invoiceId: string): state.InvoicePaymentState[] {
  return [...store.invoicePayments.values()].filter((payment) => payment.invoiceId === invoiceId);
}
