/** The five kinds of interface 6.2; the endpoint at Stripe is made for exactly these. */
export const usedKinds = [
  'checkout.session.completed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'invoice.paid',
  'charge.refunded',
] as const;
export type UsedKind = (typeof usedKinds)[number];

export function isUsedKind(kind: string): kind is UsedKind {
  return (usedKinds as readonly string[]).includes(kind);
}

/** Our own event, signed like Stripe's, that tries the way in. */
export const connectionTestKind = 'tributary.connection_test';
