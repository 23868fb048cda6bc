import { get, refundsOf } from './account-store.ts';
import type { ListRules } from './fake-lists.ts';
import type { Json } from './fixtures.ts';
import { shapeLine, type Context } from './shape-billing.ts';
import { shapeRefund, shapeSessionLine } from './shape-payment.ts';
import type { StripeAccount } from './stripe-account.ts';

/** What can be listed and read below `/v1/`. */
export type Kind = ListRules & {
  /** The ids of all objects, oldest first. */
  ids: (account: StripeAccount) => Iterable<string>;
  /** Which of them a list shows; default all. */
  listed?: (object: Json) => boolean;
  /** Old API versions do not have it. */
  onlyNewVersions?: boolean;
  /** Lists below an object, in their order. */
  parts?: Record<string, (context: Context, id: string) => Json[]>;
};

/** Filters are those of the official description of the shape; see fake-lists.ts. */
export const kinds: Record<string, Kind> = {
  customers: {
    noun: 'customer',
    // A deleted customer is read by its id, and no longer listed.
    ids: ({ store }) => store.customers.keys(),
    listed: (object) => object['deleted'] !== true,
    ...{ created: true, equal: ['email'] },
  },
  prices: {
    noun: 'price',
    ids: ({ store }) => store.prices.keys(),
    ...{ created: true, equal: ['product', 'currency', 'type'] },
  },
  subscriptions: {
    noun: 'subscription',
    ids: ({ store }) => store.subscriptions.keys(),
    ...{ created: true, equal: ['customer', 'status'] },
  },
  invoices: {
    noun: 'invoice',
    ids: ({ store }) => store.invoices.keys(),
    ...{ created: true, equal: ['customer', 'status', 'collection_method'] },
    further: { subscription: (object, value) => subscriptionOf(object) === value },
    parts: {
      lines(context, id) {
        const invoice = get(context.store.invoices, id);
        return invoice.lines.map((line) => shapeLine(context, invoice, line));
      },
    },
  },
  invoice_payments: {
    ...{ noun: 'invoice_payment', onlyNewVersions: true },
    ids: ({ store }) => store.invoicePayments.keys(),
    ...{ created: true, equal: ['invoice', 'status'] },
    further: {
      'payment[type]': (object, value) => paymentOf(object)['type'] === value,
      'payment[payment_intent]': (object, value) => paymentOf(object)['payment_intent'] === value,
    },
  },
  payment_intents: {
    noun: 'payment_intent',
    ids: ({ store }) => store.intents.keys(),
    ...{ created: true, equal: ['customer'] },
  },
  charges: {
    noun: 'charge',
    ids: ({ store }) => store.charges.keys(),
    ...{ created: true, equal: ['customer', 'payment_intent', 'transfer_group'] },
    parts: {
      refunds: (context, id) =>
        refundsOf(context.store, id)
          .reverse()
          .map((refund) => shapeRefund(context, refund)),
    },
  },
  refunds: {
    noun: 'refund',
    ids: ({ store }) => store.refunds.keys(),
    ...{ created: true, equal: ['charge', 'payment_intent'] },
  },
  'checkout/sessions': {
    noun: 'checkout.session',
    ids: ({ store }) => store.sessions.keys(),
    equal: ['customer', 'payment_intent', 'subscription'],
    onlyNew: ['created', 'status', 'payment_link'],
    parts: {
      line_items(context, id) {
        const session = get(context.store.sessions, id);
        return session.lines.map((line) => shapeSessionLine(context, session, line));
      },
    },
  },
  webhook_endpoints: {
    noun: 'webhook endpoint',
    ids: ({ store }) => store.endpoints.keys(),
  },
};

function subscriptionOf(invoice: Json): unknown {
  const parent = invoice['parent'] as { subscription_details?: Json } | null | undefined;
  return invoice['subscription'] ?? parent?.subscription_details?.['subscription'];
}

function paymentOf(invoicePayment: Json): Json {
  return invoicePayment['payment'] as Json;
}
