import {
  mostStripeParts,
  type FetchedType,
  type StripeCheckoutSession,
  type StripeCustomer,
  type StripeObject,
  type StripePaymentInvoice,
  type StripeSubscription,
  type StripeUnreadable,
} from '@tributary/contracts/processor-record';
import { isUsedKind, type UsedKind } from './kinds.ts';
import {
  idOf,
  isObject,
  isStorable,
  type Members,
  membersOf,
  readList,
  WrongShape,
} from './members.ts';
import { readCharge, readPaymentIntent, readRefunds } from './read-charge.ts';
import { readCurrency, readInvoice, readPaidBy } from './read-invoice.ts';
import { readInvoiceLines, readSessionLines } from './read-line.ts';
import { carriedPrice, distinctPrices, readPrice } from './read-price.ts';

/**
 * The object of an event in contracts' form, of any version of Stripe's API: members that moved are
 * found in their old and new places, and what may be expanded is taken as id or object. Undefined
 * for a kind that is not used. An object in a shape that is not understood is `unreadable`, or, as
 * only its prices would be of use, a subscription without any. Never throws for an event that
 * `readStripeEvent` took: the object has an id then.
 */
export function readEventObject(kind: string, raw: unknown): StripeObject | undefined {
  if (!isUsedKind(kind)) return undefined;
  const type = typeOfKind[kind];
  const object = attempt(() => readers[type](membersOf(raw)));
  if (!(object instanceof WrongShape)) return object;
  if (type !== 'subscription') return unreadable(type, raw, object);
  const { id, customerId } = namesOf(raw);
  return { object: 'subscription', id, customerId, prices: [] };
}

/** As the fetch worker and reconciliation need it; `refused` says what could not be read. */
export type ReadOutcome =
  { outcome: 'object'; object: StripeObject } | { outcome: 'refused'; detail: string };

/**
 * What Stripe answered to a question, in contracts' form. `raw` is Stripe's object, or for a list
 * (`refunds`, `invoice-payments`, `payment-invoice`, `invoice-lines`, `session-lines`) the array of
 * all its items; a list of which more is left is refused. To be asked with these expanded:
 *   payment-intent     latest_charge
 *   invoice-payments   data.payment.payment_intent (its latest_charge is an alias, too)
 *   session-lines      nothing: prices are whole
 * A `checkout-session` may be asked by a payment intent's id: `raw` is then the list of sessions of
 * that payment intent. 404, and a list of no such session, are `absent`.
 */
export function readFetched(type: FetchedType, id: string, raw: unknown): ReadOutcome {
  const object = attempt(() => fetchedReaders[type](raw, id));
  if (!(object instanceof WrongShape)) return { outcome: 'object', object };
  if (type === 'invoice' || type === 'checkout-session' || type === 'charge') {
    return { outcome: 'object', object: unreadable(type, raw, object, id) };
  }
  return { outcome: 'refused', detail: `Stripe's answer is not understood: ${object.message}` };
}

const typeOfKind = {
  'checkout.session.completed': 'checkout-session',
  'customer.subscription.created': 'subscription',
  'customer.subscription.updated': 'subscription',
  'invoice.paid': 'invoice',
  'charge.refunded': 'charge',
} as const satisfies Record<UsedKind, string>;

const readers = {
  'checkout-session': readCheckoutSession,
  subscription: readSubscription,
  invoice: readInvoice,
  charge: readCharge,
};

const fetchedReaders: Record<FetchedType, (raw: unknown, id: string) => StripeObject> = {
  customer: (raw) => readCustomer(membersOf(raw), raw),
  price: (raw) => readPrice(membersOf(raw)),
  invoice: (raw, id) =>
    membersOf(raw).isTrue('deleted')
      ? { object: 'absent', type: 'invoice', id }
      : readInvoice(membersOf(raw)),
  'checkout-session': (raw, id) => {
    if (isObject(raw) && raw['object'] !== 'list') return readCheckoutSession(membersOf(raw));
    const [newest] = all(raw);
    return newest
      ? readCheckoutSession(newest)
      : { object: 'absent', type: 'checkout-session', id };
  },
  charge: (raw) => readCharge(membersOf(raw)),
  refunds: (raw, chargeId) => ({ object: 'refunds', chargeId, refunds: readRefunds(all(raw)) }),
  'invoice-payments': (raw, invoiceId) => ({
    object: 'invoice-payments',
    invoiceId,
    ...readPaidBy(all(raw)),
  }),
  'payment-invoice': (raw, paymentIntentId) => readPaymentInvoice(all(raw), paymentIntentId),
  'invoice-lines': (raw, ownerId) => ({
    object: 'invoice-lines',
    ownerId,
    ...readInvoiceLines(all(raw)),
  }),
  'session-lines': (raw, ownerId) => ({
    object: 'session-lines',
    ownerId,
    ...readSessionLines(all(raw)),
  }),
  'payment-intent': (raw) => readPaymentIntent(membersOf(raw)),
};

function all(raw: unknown): Members[] {
  const { items, more } = readList(raw);
  if (more) throw new WrongShape('', 'the whole list');
  return items;
}

function readCheckoutSession(session: Members): StripeCheckoutSession {
  const { object: totals } = session;
  return {
    object: 'checkout-session',
    id: session.id(),
    customerId: session.reference('customer'),
    mode: session.text('mode'),
    paymentStatus: session.text('payment_status'),
    invoiceId: session.reference('invoice'),
    ...(session.object('invoice_creation')?.isTrue('enabled') && { makesInvoice: true }),
    paymentIntentId: session.reference('payment_intent'),
    currency: session.textOrNull('currency') === null ? null : readCurrency(session),
    amountTotal: session.integerOrNull('amount_total'),
    amountTax: totals('total_details')?.integerOrNull('amount_tax') ?? null,
    createdAt: session.seconds('created'),
  };
}

function readSubscription(subscription: Members): StripeSubscription {
  const items = subscription.list('items')?.items ?? [];
  return {
    object: 'subscription',
    id: subscription.id(),
    customerId: subscription.reference('customer'),
    prices: distinctPrices(items.slice(0, mostStripeParts).map(carriedPrice)),
  };
}

/** Reads two keys of a customer's metadata (interface 6.2 rule 1), and nothing else. */
function readCustomer(customer: Members, raw: unknown): StripeCustomer {
  const metadata = isObject(raw) && isObject(raw['metadata']) ? raw['metadata'] : {};
  return {
    object: 'customer',
    id: customer.id(),
    deleted: customer.isTrue('deleted'),
    ucc: metadataText(metadata['service_ucc']),
    newUserId: metadataText(metadata['new_user_id']),
  };
}

/** What no record takes is as unusable as an empty text. */
function metadataText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' && value.length <= 1_000 && isStorable(value) ? value : '';
}

/** One payment may have gone to several invoices: a paid one first, then by id. */
function readPaymentInvoice(payments: readonly Members[], intentId: string): StripePaymentInvoice {
  const isPaid = (payment: Members) => (payment.textOrNull('status') ?? 'paid') === 'paid';
  const paid = payments.filter(isPaid);
  const ids = (paid.length > 0 ? paid : payments).map((payment) => payment.reference('invoice'));
  const [invoiceId = null] = ids.filter((id) => id !== null).sort();
  return { object: 'payment-invoice', paymentIntentId: intentId, invoiceId };
}

function unreadable(
  type: StripeUnreadable['type'],
  raw: unknown,
  { message }: WrongShape,
  askedId?: string,
): StripeUnreadable {
  const { id, customerId } = namesOf(raw, askedId);
  return { object: 'unreadable', type, id, customerId, detail: message.slice(0, 1_000) };
}

function namesOf(raw: unknown, askedId?: string): { id: string; customerId: string | null } {
  const id = idOf(raw) ?? askedId;
  if (id === undefined) throw new WrongShape('id', 'the id of an object');
  return { id, customerId: isObject(raw) ? idOf(raw['customer']) : null };
}

function attempt<T>(read: () => T): T | WrongShape {
  try {
    return read();
  } catch (error) {
    if (error instanceof WrongShape) return error;
    throw error;
  }
}
