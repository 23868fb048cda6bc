import {
  mostStripeParts,
  type StripeInvoice,
  type StripeInvoicePayments,
} from '@tributary/contracts/processor-record';
import type { Members } from './members.ts';
import { readInvoiceLines } from './read-line.ts';

export function readInvoice(invoice: Members): StripeInvoice {
  const lines = invoice.list('lines');
  const { lines: kept, prices } = readInvoiceLines(lines?.items ?? []);
  const subscription = invoice.object('parent')?.object('subscription_details');
  return {
    object: 'invoice',
    id: invoice.id(),
    customerId: invoice.reference('customer'),
    number: invoice.reference('number'),
    status: invoice.textOrNull('status'),
    currency: readCurrency(invoice),
    amountPaid: invoice.integer('amount_paid'),
    total: invoice.integer('total'),
    totalExcludingTax: readTotalExcludingTax(invoice),
    createdAt: invoice.seconds('created'),
    paidAt: invoice.object('status_transitions')?.secondsOrNull('paid_at') ?? null,
    subscriptionId:
      invoice.reference('subscription') ?? subscription?.reference('subscription') ?? null,
    payments: readPayments(invoice),
    lines: kept,
    moreLines: lines === null || lines.more,
    prices,
  };
}

/** As records take it: the lower-case code of a currency. */
export function readCurrency(owner: Members): string {
  return owner.text('currency').slice(0, 16) || 'none';
}

/** Versions that do not give it give the tax: `tax`, or `total_taxes` since 2025-03-31. */
function readTotalExcludingTax(invoice: Members): number | null {
  const excluding = invoice.integerOrNull('total_excluding_tax');
  if (excluding !== null) return excluding;
  const total = invoice.integer('total');
  const tax = invoice.integerOrNull('tax');
  if (tax !== null) return total - tax;
  const taxes = invoice.list('total_taxes') ?? invoice.list('total_tax_amounts');
  if (!taxes || taxes.items.length === 0) return null;
  return taxes.items.reduce((rest, each) => rest - each.integer('amount'), total);
}

/** What paid it: `payments` where expanded; `payment_intent` and `charge` before 2025-03-31. */
function readPayments(invoice: Members): StripeInvoice['payments'] {
  const payments = invoice.list('payments');
  if (payments && !payments.more) return readPaidBy(payments.items);
  if (!invoice.has('payment_intent') && !invoice.has('charge')) return null;
  return {
    paymentIntentIds: named([invoice.reference('payment_intent')]),
    chargeIds: named([invoice.reference('charge')]),
  };
}

export type PaidBy = Pick<StripeInvoicePayments, 'paymentIntentIds' | 'chargeIds'>;

/**
 * Reads those of a list of invoice payments that are paid. An expanded payment intent names its
 * charge, which the payment itself does not.
 */
export function readPaidBy(payments: readonly Members[]): PaidBy {
  const paid = payments
    .filter((payment) => (payment.textOrNull('status') ?? 'paid') === 'paid')
    .map((payment) => payment.object('payment'));
  const intents = paid.map((payment) => payment?.reference('payment_intent'));
  const charges = paid.map(
    (payment) =>
      payment?.reference('charge') ?? payment?.object('payment_intent')?.reference('latest_charge'),
  );
  return { paymentIntentIds: named(intents), chargeIds: named(charges) };
}

function named(ids: readonly (string | null | undefined)[]): string[] {
  const distinct = new Set(ids.filter((id): id is string => typeof id === 'string'));
  return [...distinct].sort().slice(0, mostStripeParts);
}
