import {
  demoBusinessKey,
  legacyPaymentBusinessKey,
  purchaseBusinessKey,
  refundBusinessKey,
  signupBusinessKey,
} from '@tributary/contracts/business-key';
import type { EventRecord, Payment } from '@tributary/contracts/event-record';

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
        idempotencyKey: event.idempotency?.key,
        // Sent without a time (legacy): the time of receipt would make each copy a refund of its own.
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
