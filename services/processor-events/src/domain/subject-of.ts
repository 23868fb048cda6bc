import type { StripeObject } from '@tributary/contracts/processor-record';

/**
 * What a record about this object is about: its customer, else the object itself. The records of
 * one subject are in one partition, so their order is one (docs/decisions/0014). An object that was
 * asked for an item (`cause: need`) is recorded under the subject of that item instead, and an
 * event without an object under its own id.
 */
export function subjectOf(object: StripeObject): string {
  switch (object.object) {
    case 'invoice':
    case 'checkout-session':
    case 'charge':
    case 'subscription':
    case 'unreadable':
      return object.customerId ?? object.id;
    case 'customer':
    case 'price':
    case 'payment-intent':
    case 'absent':
      return object.id;
    case 'refunds':
      return object.chargeId;
    case 'invoice-payments':
      return object.invoiceId;
    case 'payment-invoice':
      return object.paymentIntentId;
    case 'invoice-lines':
    case 'session-lines':
      return object.ownerId;
    default:
      return object satisfies never;
  }
}
