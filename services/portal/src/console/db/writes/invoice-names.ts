import type { Payment } from '@tributary/contracts/event-record';

/** Everything that a payment calls its invoice; facts that share a name are about one invoice. */
export function invoiceNamesOf(payment: Payment | undefined): string[] {
  if (payment === undefined) return [];
  const { invoiceId, aliases = [] } = payment;
  return [...new Set([...(invoiceId === undefined ? [] : [invoiceId]), ...aliases])];
}
