import {
  legacyPurchaseBusinessKey,
  purchaseBusinessKey,
  signupBusinessKey,
} from '@tributary/contracts/business-key';
import type { EventRecord } from '@tributary/contracts/event-record';

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

/** A purchase that named no invoice: its key is a digest, and its decision says so. */
export function hasDerivedKey({ event }: Fact): boolean {
  return event.eventType === 'purchase-created' && event.purchase.invoiceId === undefined;
}

function businessKeyOf(event: EventRecord): string {
  const { tenantId, newUser } = event;
  switch (event.eventType) {
    case 'signup-created':
      return signupBusinessKey(tenantId, newUser.id);
    case 'purchase-created': {
      const { invoiceId, amount, currency, subscription } = event.purchase;
      if (invoiceId !== undefined) return purchaseBusinessKey(tenantId, invoiceId);
      return legacyPurchaseBusinessKey(tenantId, {
        newUserId: newUser.id,
        trigger: event.eventType,
        rawTimestamp: event.occurredAtRaw ?? event.occurredAt,
        amount,
        currency,
        subscriptionId: subscription?.id,
      });
    }
    default:
      return event satisfies never;
  }
}
