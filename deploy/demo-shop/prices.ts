import { friendsDiscount } from '../demo/demo-tenants.ts';
import type { Customer } from './shop-store.ts';
import type { Tea } from './teas.ts';

/** In cents, for this customer now: granting what the campaign promises is up to the checkout. */
export function priceFor(tea: Tea, customer: Customer | undefined, now: Date): number {
  if (customer?.ucc === undefined || now >= discountEnd(customer)) return tea.price;
  return Math.round((tea.price * (10_000 - friendsDiscount.basisPoints)) / 10_000);
}

function discountEnd({ since }: Customer): Date {
  const end = new Date(since);
  end.setUTCMonth(end.getUTCMonth() + friendsDiscount.months);
  return end;
}
