/**
 * The two shapes of Stripe's API that matter here. On 2025-03-31 invoices lost `charge`,
 * `payment_intent` and `subscription`, lines their whole price, and charges `invoice`; invoice
 * payments came. Each shape is tried in the version of one official stripe-mock.
 */
export type StripeShape = 'old' | 'new';

export const stripeShapes: readonly StripeShape[] = ['old', 'new'];

/** API version of each shape, that of the stripe-mock it is taken from. */
export const stripeApiVersions: Record<StripeShape, string> = {
  old: '2022-11-15',
  new: '2026-08-26.dahlia',
};

const firstOfNewShape = '2025-03-31';

/** @param apiVersion `2022-11-15`, `2025-03-31.basil`. */
export function shapeOf(apiVersion: string): StripeShape {
  return apiVersion.slice(0, firstOfNewShape.length) < firstOfNewShape ? 'old' : 'new';
}
