import type {
  ProcessorFetched,
  ProcessorReceived,
  ProcessorRecord,
  StripeCharge,
  StripeCheckoutSession,
  StripeCustomer,
  StripeInvoice,
  StripeObject,
  StripePrice,
  StripeRefund,
} from '@tributary/contracts/processor-record';
import { processorSchemaVersion } from '@tributary/contracts/processor-record';
import { subjectOf } from '../domain/subject-of.ts';

/** Records as they are on the log, for specs of what is folded of them. */
export const connectionId = 'con00000000000001';

const startMs = Date.UTC(2026, 2, 1, 10);

/** UTC with milliseconds, so many after the beginning of these stories. */
export function at(ms: number): string {
  return new Date(startMs + ms).toISOString();
}

export function received(
  processorEventId: string,
  object: StripeObject | undefined,
  changes: Partial<ProcessorReceived> = {},
): ProcessorReceived {
  return {
    ...common(object ? subjectOf(object) : processorEventId),
    type: 'received',
    processorEventId,
    kind: 'invoice.paid',
    livemode: false,
    createdAt: startMs / 1_000,
    apiVersion: '2025-03-31.basil',
    ...(object && { object }),
    ...changes,
  };
}

export function fetched(
  subject: string,
  object: StripeObject,
  receivedAt: string,
  changes: Partial<ProcessorFetched> = {},
): ProcessorFetched {
  return { ...common(subject), type: 'fetched', cause: 'need', object, receivedAt, ...changes };
}

function common(subject: string) {
  return {
    schemaVersion: processorSchemaVersion,
    tenantId: 't1',
    connectionId,
    processor: 'stripe',
    subject,
    receivedAt: at(0),
    taxPolicy: 'gross',
  } satisfies Partial<ProcessorRecord>;
}

export function customer(id: string, changes: Partial<StripeCustomer> = {}): StripeCustomer {
  const object = 'customer';
  return { object, id, deleted: false, ucc: 'CODE1', newUserId: `user-of-${id}`, ...changes };
}

/** Complete in itself, but for the customer and its price. */
export function invoice(
  id: string,
  customerId: string | null,
  changes: Partial<StripeInvoice> = {},
): StripeInvoice {
  return {
    object: 'invoice',
    id,
    customerId,
    number: `N-${id}`,
    status: 'paid',
    currency: 'eur',
    amountPaid: 4_900,
    total: 4_900,
    totalExcludingTax: null,
    createdAt: startMs / 1_000,
    paidAt: startMs / 1_000,
    subscriptionId: 'sub_1',
    payments: { paymentIntentIds: [`pi_${id}`], chargeIds: [`ch_${id}`] },
    lines: [
      {
        id: `il_${id}`,
        amount: 4_900,
        quantity: 3,
        recurring: true,
        proration: false,
        priceId: 'price_1',
        productId: 'prod_1',
        subscriptionId: 'sub_1',
      },
    ],
    moreLines: false,
    prices: [],
    ...changes,
  };
}

export const monthlyPrice: StripePrice = {
  object: 'price',
  id: 'price_1',
  productId: 'prod_1',
  interval: { unit: 'month', count: 1 },
};

export function refund(id: string, changes: Partial<StripeRefund> = {}): StripeRefund {
  const createdAt = startMs / 1_000 + 60;
  return { id, amount: 1_000, currency: 'eur', status: 'succeeded', createdAt, ...changes };
}

export function charge(
  id: string,
  customerId: string | null,
  changes: Partial<StripeCharge> = {},
): StripeCharge {
  return {
    object: 'charge',
    id,
    customerId,
    paymentIntentId: `pi_${id}`,
    currency: 'eur',
    amount: 4_900,
    amountRefunded: 1_000,
    createdAt: startMs / 1_000,
    ...changes,
  };
}

export function session(
  id: string,
  customerId: string | null,
  changes: Partial<StripeCheckoutSession> = {},
): StripeCheckoutSession {
  return {
    object: 'checkout-session',
    id,
    customerId,
    mode: 'payment',
    paymentStatus: 'unpaid',
    invoiceId: null,
    paymentIntentId: `pi_${id}`,
    currency: 'eur',
    amountTotal: 900,
    amountTax: 0,
    createdAt: startMs / 1_000,
    ...changes,
  };
}
