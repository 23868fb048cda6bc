import {
  mostStripeParts,
  type StripeCharge,
  type StripePaymentIntent,
  type StripeRefund,
} from '@tributary/contracts/processor-record';
import { compareText } from './compare-text.ts';
import type { Members } from './members.ts';
import { readCurrency } from './read-invoice.ts';

/**
 * Since 2025-03-31 a charge has no `invoice`, and since 2022-11-15 no `refunds` unless expanded.
 */
export function readCharge(charge: Members): StripeCharge {
  const refunds = charge.list('refunds');
  const carriesAll = refunds !== null && !refunds.more && refunds.items.length <= mostStripeParts;
  return {
    object: 'charge',
    id: charge.id(),
    customerId: charge.reference('customer'),
    paymentIntentId: charge.reference('payment_intent'),
    ...(charge.has('invoice') && { invoiceId: charge.reference('invoice') }),
    currency: readCurrency(charge),
    amount: charge.integer('amount'),
    amountRefunded: charge.integer('amount_refunded'),
    createdAt: charge.seconds('created'),
    ...(carriesAll && { refunds: readRefunds(refunds.items) }),
  };
}

export function readRefund(refund: Members): StripeRefund {
  return {
    id: refund.id(),
    amount: refund.integer('amount'),
    currency: readCurrency(refund),
    status: refund.textOrNull('status'),
    createdAt: refund.seconds('created'),
  };
}

/** The earliest first; a charge has no more refunds than a record takes. */
export function readRefunds(items: readonly Members[]): StripeRefund[] {
  return items.map(readRefund).sort(compareRefunds).slice(0, mostStripeParts);
}

export function compareRefunds(a: StripeRefund, b: StripeRefund): number {
  return a.createdAt - b.createdAt || compareText(a.id, b.id);
}

/**
 * Takes a payment intent with `latest_charge` expanded, or with `charges` as before 2022-11-15. A
 * charge that failed is none.
 */
export function readPaymentIntent(intent: Members): StripePaymentIntent {
  const latest = intent.object('latest_charge');
  const tried = latest ? [latest] : (intent.list('charges')?.items ?? []);
  const charge = tried.find((each) => each.isTrue('paid'));
  return {
    object: 'payment-intent',
    id: intent.id(),
    charge: charge ? { id: charge.id(), createdAt: charge.seconds('created') } : null,
  };
}
