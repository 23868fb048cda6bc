import {
  mostStripeParts,
  StripeInterval,
  type StripePrice,
} from '@tributary/contracts/processor-record';
import type { Members } from './members.ts';

/** A price, or one of the plans that came before prices: those have the interval on themselves. */
export function readPrice(price: Members): StripePrice {
  const recurring = price.object('recurring') ?? (price.has('interval') ? price : null);
  return {
    object: 'price',
    id: price.id(),
    productId: price.reference('product'),
    interval: recurring && readInterval(recurring),
  };
}

const units: readonly string[] = StripeInterval.properties.unit.anyOf.map((unit) => unit.const);

/** null also of an interval that is none of Stripe's four units; no such price is known. */
function readInterval(recurring: Members): StripeInterval | null {
  const unit = recurring.text('interval');
  const count = recurring.integerOrNull('interval_count') ?? 1;
  if (!isUnit(unit) || count < 1) return null;
  return { unit, count };
}

function isUnit(text: string): text is StripeInterval['unit'] {
  return units.includes(text);
}

/** The price of a line or subscription item where it is whole, not only named. */
export function carriedPrice(owner: Members): StripePrice | null {
  const details = owner.object('pricing')?.object('price_details');
  const price = owner.object('price') ?? details?.object('price') ?? owner.object('plan');
  return price ? readPrice(price) : null;
}

/** Each once, and no more than a record takes. */
export function distinctPrices(prices: readonly (StripePrice | null)[]): StripePrice[] {
  const byId = new Map<string, StripePrice>();
  for (const price of prices) if (price && !byId.has(price.id)) byId.set(price.id, price);
  return [...byId.values()].slice(0, mostStripeParts);
}
