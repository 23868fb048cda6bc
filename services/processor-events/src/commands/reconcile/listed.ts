import { subjectOf } from '../../domain/subject-of.ts';
import { itemIdOf } from '../../domain/item-of.ts';
import type { Item, ItemType } from '../../domain/model.ts';
import type { StripeRefund } from '@tributary/contracts/processor-record';
import type { Listed } from '../../stripe/api.ts';
import type { Finding } from './finding.ts';
import type { Walk } from './walk.ts';

/**
 * One object of a list as it is compared: a payment or a refund, of which there is to be one fact.
 */
export type Payment = {
  type: Finding['type'];
  /** The id of the invoice, the session or the refund. */
  objectId: string;
  /** The item that its fact belongs to; undefined when Stripe does not say whose refund it is. */
  itemId: string | undefined;
  /** What the item is made of; null when it is in a shape that is not understood. */
  object: Item['object'] | null;
  /** Seconds. */
  occurredAt: number;
  /** Stripe's minor units. */
  amount: number | null;
  /** As Stripe writes it, lower case. */
  currency: string | null;
  /** The status of a refund that was not given back, or of an invoice that is not paid. */
  failed?: string;
};

/** Undefined for what is no payment of its own, or from before the walk's `since`. */
export function paymentOf(tenantId: string, { since }: Walk, listed: Listed): Payment | undefined {
  const payment = readListed(tenantId, listed);
  if (!payment) return undefined;
  // A session is paid some time after it was made; when, only its payment says.
  const isOlder = payment.occurredAt < since && payment.type !== 'checkout-session';
  return isOlder ? undefined : payment;
}

function readListed(tenantId: string, listed: Listed): Payment | undefined {
  const { kind, id, createdAt } = listed;
  const common = { objectId: id, occurredAt: createdAt, amount: null, currency: null };
  const idOf = (type: ItemType, objectId = id) => itemIdOf(tenantId, type, objectId);
  switch (kind) {
    case 'invoices': {
      const { object } = listed;
      const base = { ...common, type: 'invoice' as const, itemId: idOf('invoice'), object };
      if (!object) return base;
      const { paidAt, amountPaid: amount, currency, status } = object;
      const notPaid = status !== 'paid' && { failed: status ?? 'unknown' };
      return { ...base, occurredAt: paidAt ?? createdAt, amount, currency, ...notPaid };
    }
    case 'sessions': {
      const { object } = listed;
      const type = 'checkout-session';
      const base = { ...common, type, itemId: idOf(type), object } as const;
      if (!object) return base;
      const { amountTotal, currency, paymentStatus, invoiceId, paymentIntentId, mode } = object;
      const isInvoiced = invoiceId !== null || object.makesInvoice === true;
      const isOneTime = mode === 'payment' && !isInvoiced && paymentIntentId !== null;
      if (!isOneTime || paymentStatus !== 'paid') return undefined;
      return { ...base, amount: amountTotal, currency };
    }
    case 'refunds': {
      const { object: refund, charge } = listed;
      const itemId = charge ? idOf('charge', charge.id) : undefined;
      const base = { ...common, type: 'refund' as const, itemId, object: charge };
      return refund ? { ...base, ...amountsOf(refund) } : base;
    }
    default:
      return listed satisfies never;
  }
}

function amountsOf({ amount, currency, status }: StripeRefund) {
  const isFailed = status === 'failed' || status === 'canceled';
  return { amount, currency, ...(isFailed && { failed: status }) };
}

/** A telling of the item from its object, as a record of it would be. */
export function tellingOf(
  object: Item['object'],
  about: Pick<Item, 'tenantId' | 'connectionId' | 'taxPolicy' | 'receivedAt'>,
): Item {
  const type = object.object === 'unreadable' ? object.type : object.object;
  const itemId = itemIdOf(about.tenantId, type, object.id);
  const subject = subjectOf(object);
  return { ...about, itemId, type, objectId: object.id, subject, object };
}
