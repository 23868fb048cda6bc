import type { AccountStore } from './account-store.ts';
import { paymentsOf } from './account-store.ts';
import type { Json } from './fixtures.ts';
import * as billing from './shape-billing.ts';
import * as payment from './shape-payment.ts';
import { StripeRefusal } from './stripe-refusal.ts';

type Context = billing.Context;

/** The object of that id as Stripe writes it, whatever it is; undefined when there is none. */
export function shapeById(context: Context, id: string): Json | undefined {
  for (const shaped of shapers) {
    const found = shaped(context, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

function shaper<T>(
  mapOf: (store: AccountStore) => ReadonlyMap<string, T>,
  shape: (context: Context, state: T) => Json,
) {
  return (context: Context, id: string): Json | undefined => {
    const found = mapOf(context.store).get(id);
    return found === undefined ? undefined : shape(context, found);
  };
}

const shapers = [
  shaper((store) => store.customers, payment.shapeCustomer),
  shaper((store) => store.prices, billing.shapePrice),
  shaper((store) => store.subscriptions, billing.shapeSubscription),
  shaper((store) => store.invoices, billing.shapeInvoice),
  shaper((store) => store.intents, payment.shapeIntent),
  shaper((store) => store.charges, payment.shapeCharge),
  shaper((store) => store.refunds, payment.shapeRefund),
  shaper((store) => store.sessions, payment.shapeSession),
  shaper((store) => store.endpoints, payment.shapeEndpoint),
  (context: Context, id: string) => {
    const found = context.shape === 'new' ? context.store.invoicePayments.get(id) : undefined;
    return found && payment.shapeInvoicePayment(context, found);
  },
];

/**
 * `expand[]`: an id becomes its object, and a member that is there only when asked for appears.
 *
 * @param path `data.payments`, `latest_charge`.
 */
export function expand(context: Context, object: Json, path: string): void {
  expandMember(context, object, path.split('.'), path);
}

function expandMember(context: Context, object: Json, path: string[], whole: string): void {
  const [member, ...rest] = path;
  if (member === undefined) return;
  if (!Object.hasOwn(object, member)) {
    // A part of an object, e.g. a payment without an intent.
    if (typeof object['object'] !== 'string') return;
    object[member] = onRequest(context, object, member, whole);
  }
  const value = object[member];
  if (typeof value === 'string') {
    object[member] = shapeById(context, value) ?? cannotExpand(whole);
  }
  for (const inner of asObjects(object[member])) expandMember(context, inner, rest, whole);
}

function asObjects(value: unknown): Json[] {
  if (Array.isArray(value)) return value as Json[];
  return typeof value === 'object' && value !== null ? [value as Json] : [];
}

/** Lists that an object shows only when asked. */
function onRequest(context: Context, object: Json, member: string, whole: string): Json {
  const { store, shape } = context;
  const id = String(object['id']);
  const name = `${String(object['object'])}.${member}`;
  const session = store.sessions.get(id);
  if (name === 'charge.refunds') return payment.shapeRefundList(context, id);
  if (name === 'checkout.session.line_items' && session !== undefined) {
    const lines = session.lines.map((line) => payment.shapeSessionLine(context, session, line));
    return billing.list(`/v1/checkout/sessions/${id}/line_items`, lines);
  }
  if (name === 'invoice.payments' && shape === 'new') {
    const payments = paymentsOf(store, id);
    const shaped = payments.map((each) => payment.shapeInvoicePayment(context, each));
    return billing.list(`/v1/invoice_payments?invoice=${id}`, shaped);
  }
  return cannotExpand(whole);
}

function cannotExpand(path: string): never {
  throw new StripeRefusal(400, { message: `This property cannot be expanded (${path}).` });
}
