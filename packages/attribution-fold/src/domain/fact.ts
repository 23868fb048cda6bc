import {
  demoBusinessKey,
  legacyPaymentBusinessKey,
  purchaseBusinessKey,
  refundBusinessKey,
  signupBusinessKey,
} from '@tributary/contracts/business-key';
import type { EventRecord, Payment } from '@tributary/contracts/event-record';
import { recordKey } from '@tributary/contracts/topics';

/** An accepted event and what it counts as in business terms. */
export type Fact = {
  event: EventRecord;
  /** One such key earns once (design 7). */
  businessKey: string;
};

/** Idempotency and warnings are for the caller of the API and play no part in any decision. */
export function toFact(event: EventRecord): Fact {
  const { idempotency: _i, warnings: _w, ...reported } = event;
  return { event: reported, businessKey: businessKeyOf(event) };
}

/**
 * The names of the invoice that a payment is about, each as the business key of a purchase of that
 * name; empty when it named none. The first is the name that the caller gave.
 */
export function namesOf({ event }: Fact): string[] {
  const payment = paymentOf(event);
  if (payment?.invoiceId === undefined) return [];
  const names = new Set([payment.invoiceId, ...(payment.aliases ?? [])]);
  return [...names].map((name) => purchaseBusinessKey(event.tenantId, name));
}

/** A purchase that holds one of these, or a refund that names one, is about the same thing. */
export function claimKeysOf(fact: Fact): string[] {
  const names = namesOf(fact);
  return names.length > 0 ? names : [fact.businessKey];
}

/**
 * The user whose decisions the fact belongs to; also the key of everything about them on the log.
 */
export function userKeyOf({ event }: Fact): string {
  return recordKey(event.tenantId, event.newUser.id);
}

export function isRefund({ event }: Fact): boolean {
  return event.eventType === 'purchase-refunded';
}

/** A payment that named no invoice: its key is a digest, and its decision says so. */
export function hasDerivedKey({ event }: Fact): boolean {
  const payment = paymentOf(event);
  return payment !== undefined && payment.invoiceId === undefined;
}

/** The money of an event that has some. */
export function paymentOf(event: EventRecord): Payment | undefined {
  if (event.eventType === 'purchase-created') return event.purchase;
  return event.eventType === 'purchase-refunded' ? event.refund : undefined;
}

function businessKeyOf(event: EventRecord): string {
  const { tenantId, newUser } = event;
  switch (event.eventType) {
    case 'signup-created':
      return signupBusinessKey(tenantId, newUser.id);
    case 'demo-attended':
      return demoBusinessKey(tenantId, newUser.id);
    case 'purchase-created': {
      const { invoiceId } = event.purchase;
      if (invoiceId !== undefined) return purchaseBusinessKey(tenantId, invoiceId);
      return keyWithoutInvoice('legacy-purchase', event, event.purchase);
    }
    case 'purchase-refunded': {
      const { invoiceId, amount } = event.refund;
      if (invoiceId === undefined) return keyWithoutInvoice('legacy-refund', event, event.refund);
      return refundBusinessKey(tenantId, {
        invoiceId,
        source: event.source,
        refundId: event.refund.refundId,
        idempotencyKey: event.idempotency?.key,
        // Sent without a time (legacy): the time of receipt would make each copy a refund of its
        // own.
        occurredAtSeconds: event.occurredAtRaw === '' ? '' : event.occurredAtSeconds,
        amount,
      });
    }
    default:
      return event satisfies never;
  }
}

function keyWithoutInvoice(
  kind: 'legacy-purchase' | 'legacy-refund',
  event: EventRecord,
  { amount, currency, subscription }: Payment,
): string {
  return legacyPaymentBusinessKey(kind, event.tenantId, {
    newUserId: event.newUser.id,
    trigger: event.eventType,
    rawTimestamp: event.occurredAtRaw ?? event.occurredAt,
    amount,
    currency,
    subscriptionId: subscription?.id,
  });
}
