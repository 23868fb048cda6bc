import { createAccountBase } from './account-base.ts';
import { emit, emitOf, snapshot } from './account-events.ts';
import * as invoices from './account-invoices.ts';
import * as payments from './account-payments.ts';
import type * as state from './account-state.ts';
import { get, refundsOf, type AccountStore } from './account-store.ts';
import { subscribe, updateSubscription } from './account-subscriptions.ts';
import type { StripeShape } from './api-version.ts';

export type AccountOptions = {
  /** Default false: a test mode account. */
  livemode?: boolean;
  /** Unix seconds of an account's present; default this machine's clock. */
  now?: () => number;
  /**
   * Is part of all ids, so that two accounts never share one. Letters and digits; default random.
   */
  idPrefix?: string;
  /**
   * Charges carry their refunds without being asked (API versions before 2022-11-15 do, and events
   * of them). Default false.
   */
  chargesCarryRefunds?: boolean;
};

export type LineSpec = {
  /** May be negative. */
  amount: number;
  priceId?: string | null;
  /** Default 1. */
  quantity?: number | null;
  /** A line of the invoice's subscription. Default: whether the invoice has a subscription. */
  recurring?: boolean;
  /** Default false. */
  proration?: boolean;
  /**
   * Default: prorations and one-off lines by an invoice item, others by the subscription's item.
   */
  madeBy?: state.LineState['madeBy'];
};

export type InvoiceSpec = {
  customerId: string | null;
  currency: string;
  lines: LineSpec[];
  subscriptionId?: string;
  /**
   * On top of the lines, or contained in them. null: the invoice does not say
   * (`total_excluding_tax` null).
   */
  tax?: { amount: number; inclusive?: boolean } | null;
  /** Default: the total, at least 0; less is what a customer's balance paid the rest of. */
  amountPaid?: number;
  /** null: without a number. Default one of Stripe's form. */
  number?: string | null;
  /**
   * Default `intent`: a payment intent with a charge when something was paid. `charge`: a charge
   * without an intent. `out-of-band`: neither. `two-intents`: paid in two parts.
   */
  paidBy?: 'intent' | 'charge' | 'out-of-band' | 'two-intents';
  billingReason?: state.InvoiceState['billingReason'];
  /** Default the account's present. `paidAt` null leaves `status_transitions.paid_at` out. */
  created?: number;
  paidAt?: number | null;
};

export type SessionSpec = {
  customerId: string | null;
  currency: string;
  /** `priceId` of one-time prices; a session has at least one line. */
  lines: { amount: number; priceId: string; quantity?: number }[];
  /** Contained in the total; default 0. */
  tax?: number;
  /** Default paid. */
  paymentStatus?: state.SessionState['paymentStatus'];
  /** Default: false. */
  makesInvoice?: boolean;
  created?: number;
};

/**
 * An account at Stripe: what it holds, and what happens in it. What happens at Stripe by an event
 * of one of the five kinds appends that event to `events` and answers with it too. Nothing is sent.
 */
export type StripeAccount = {
  readonly livemode: boolean;
  /** All events, oldest first. */
  readonly events: state.StripeEvent[];
  /** Unix seconds. */
  now(): number;
  /** From here on the present is this, until it is set again; undefined: the clock again. */
  setNow(seconds: number | undefined): void;

  customer(spec?: {
    ucc?: string;
    newUserId?: string;
    metadata?: Record<string, string>;
  }): state.CustomerState;
  /** Metadata as `POST /v1/customers/:id` takes it: '' removes a key. */
  updateCustomer(id: string, metadata: Record<string, string>): state.CustomerState;
  deleteCustomer(id: string): void;
  price(spec: {
    currency: string;
    unitAmount: number;
    /** Default null: paid once. */
    interval?: state.PriceInterval | null;
    productId?: string;
  }): state.PriceState;

  /** Emits `customer.subscription.created`. */
  subscription(spec: {
    customerId: string;
    priceId: string;
    quantity?: number;
    trialDays?: number;
    created?: number;
  }): { subscription: state.SubscriptionState; event: state.StripeEvent };
  /** Emits `customer.subscription.updated`. */
  updateSubscription(
    id: string,
    change: { priceId?: string; quantity?: number; status?: state.SubscriptionState['status'] },
  ): { subscription: state.SubscriptionState; event: state.StripeEvent };

  /** A paid invoice with what paid it. Emits `invoice.paid`. */
  paidInvoice(spec: InvoiceSpec): {
    invoice: state.InvoiceState;
    intents: state.PaymentIntentState[];
    charges: state.ChargeState[];
    event: state.StripeEvent;
  };
  /** The same step by step, as by Stripe's API. The last step emits `invoice.paid`. */
  draftInvoice(spec: { customerId: string; currency: string }): state.InvoiceState;
  addInvoiceLine(invoiceId: string, line: LineSpec): state.LineState;
  finalizeInvoice(invoiceId: string): void;
  payInvoice(invoiceId: string): ReturnType<StripeAccount['paidInvoice']>;
  /** Makes a paid invoice something else, e.g. `void`, without an event of the five kinds. */
  setInvoiceStatus(id: string, status: state.InvoiceState['status']): void;
  /** Refunds a part (or the rest when `amount` is absent). Emits `charge.refunded`. */
  refund(spec: {
    chargeId: string;
    amount?: number;
    /** Default succeeded. */
    status?: state.RefundStatus;
    created?: number;
  }): { refund: state.RefundState; event: state.StripeEvent };
  /**
   * As when a bank gives it back: the charge's refunded amount falls again; no event of the five
   * kinds.
   */
  failRefund(id: string): state.RefundState;

  /** A completed checkout in mode payment. Emits `checkout.session.completed`. */
  checkout(spec: SessionSpec): {
    session: state.SessionState;
    intent: state.PaymentIntentState | null;
    charge: state.ChargeState | null;
    event: state.StripeEvent;
  };
  /**
   * A completed checkout in mode subscription, of an invoice that is there. Emits
   * `checkout.session.completed`.
   */
  subscriptionCheckout(spec: {
    subscriptionId: string;
    invoiceId: string | null;
    created?: number;
  }): {
    session: state.SessionState;
    event: state.StripeEvent;
  };
  /** In mode setup: nothing is paid. Emits `checkout.session.completed`. */
  setupCheckout(spec: { customerId: string | null; created?: number }): {
    session: state.SessionState;
    event: state.StripeEvent;
  };
  /**
   * The delayed payment of an unpaid session arrives; `checkout.session.async_payment_succeeded` is
   * not of the five kinds.
   */
  paySession(id: string): { intent: state.PaymentIntentState; charge: state.ChargeState };

  /** An event of any kind: of an object that is here by its id, else with the object as it is. */
  emit(kind: string, object: string | Record<string, unknown>): state.StripeEvent;
  /** The object of that id as Stripe writes it in that shape. */
  shaped(id: string, shape: StripeShape): Record<string, unknown>;

  /** Removes an object, as if it had never been: 404 from then on. */
  remove(id: string): void;
  /** The state of an object by its id; throws when there is none. */
  invoice(id: string): state.InvoiceState;
  charge(id: string): state.ChargeState;
  refundsOf(chargeId: string): state.RefundState[];
  endpoints(): state.EndpointState[];
  /** All objects; what the server of the fake works on. */
  readonly store: AccountStore;
  /** An id that the account has not given yet: `in_1…`. */
  newId(prefix: string): string;
};

export function createStripeAccount(options: AccountOptions = {}): StripeAccount {
  const base = createAccountBase(options);
  const { store, now, setNow, newId } = base;
  return {
    ...{ store, livemode: store.livemode, events: store.events, now, setNow, newId },
    customer({ ucc, newUserId, metadata } = {}) {
      const attribution = {
        ...(ucc === undefined ? {} : { service_ucc: ucc }),
        ...(newUserId === undefined ? {} : { new_user_id: newUserId }),
      };
      const id = newId('cus');
      const made = {
        id,
        created: now(),
        metadata: { ...attribution, ...metadata },
        deleted: false,
      };
      store.customers.set(id, made);
      return made;
    },
    updateCustomer(id, metadata) {
      const customer = get(store.customers, id);
      const merged = Object.entries({ ...customer.metadata, ...metadata });
      customer.metadata = Object.fromEntries(merged.filter(([, value]) => value !== ''));
      return customer;
    },
    deleteCustomer(id) {
      get(store.customers, id).deleted = true;
    },
    price({ currency, unitAmount, interval = null, productId = newId('prod') }) {
      const id = newId('price');
      const made = { id, created: now(), currency, unitAmount, productId, interval };
      store.prices.set(id, made);
      return made;
    },
    subscription: (spec) => subscribe(base, spec),
    updateSubscription: (id, change) => updateSubscription(base, id, change),
    paidInvoice: (spec) => invoices.paidInvoice(base, spec),
    draftInvoice: (spec) => invoices.draftInvoice(base, spec),
    addInvoiceLine: (invoiceId, line) => invoices.addLine(base, invoiceId, line),
    finalizeInvoice: (invoiceId) => invoices.finalizeInvoice(base, invoiceId),
    payInvoice: (invoiceId) => invoices.payOpenInvoice(base, invoiceId),
    setInvoiceStatus(id, status) {
      get(store.invoices, id).status = status;
    },
    refund: (spec) => payments.refund(base, spec),
    failRefund: (id) => Object.assign(get(store.refunds, id), { status: 'failed' as const }),
    checkout: (spec) => payments.checkout(base, spec),
    subscriptionCheckout: (spec) => payments.subscriptionCheckout(base, spec),
    setupCheckout: (spec) => payments.setupCheckout(base, spec),
    paySession: (id) => payments.paySession(base, id),
    emit: (kind, object) =>
      typeof object === 'string' ? emitOf(base, kind, object) : emit(base, kind, () => object),
    shaped: (id, shape) => snapshot(base, id, shape),
    remove: (id) => removeFrom(store, id),
    invoice: (id) => get(store.invoices, id),
    charge: (id) => get(store.charges, id),
    refundsOf: (chargeId) => refundsOf(store, chargeId),
    endpoints: () => [...store.endpoints.values()],
  };
}

function removeFrom(store: AccountStore, id: string): void {
  const maps = Object.values(store).filter((value) => value instanceof Map);
  const holding = maps.filter((map) => map.delete(id));
  if (holding.length === 0) throw new Error(`the account has no ${id}`);
}
