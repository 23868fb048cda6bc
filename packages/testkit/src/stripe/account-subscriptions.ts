import type { AccountBase } from './account-base.ts';
import { emitOf } from './account-events.ts';
import { itemsBefore } from './account-payments.ts';
import type * as state from './account-state.ts';
import { get } from './account-store.ts';
import type { StripeAccount } from './stripe-account.ts';

const daySeconds = 86_400;
const days: Record<state.PriceInterval['unit'], number> = { day: 1, week: 7, month: 30, year: 365 };

export function subscribe(
  base: AccountBase,
  spec: Parameters<StripeAccount['subscription']>[0],
): ReturnType<StripeAccount['subscription']> {
  const { customerId, priceId, quantity = 1, trialDays } = spec;
  const { currency, interval } = get(base.store.prices, priceId);
  if (interval === null) throw new Error(`${priceId} is paid once`);
  const created = spec.created ?? base.now();
  const trial =
    trialDays === undefined ? null : { start: created, end: created + trialDays * daySeconds };
  const end = trial?.end ?? created + interval.count * days[interval.unit] * daySeconds;
  const subscription: state.SubscriptionState = {
    ...{ id: base.newId('sub'), created, customerId, currency, trial },
    status: trial === null ? 'active' : 'trialing',
    items: [{ id: base.newId('si'), created, priceId, quantity }],
    ...{ period: { start: created, end }, latestInvoiceId: null },
  };
  base.store.subscriptions.set(subscription.id, subscription);
  const event = emitOf(base, 'customer.subscription.created', subscription.id);
  return { subscription, event };
}

export function updateSubscription(
  base: AccountBase,
  id: string,
  change: Parameters<StripeAccount['updateSubscription']>[1],
): ReturnType<StripeAccount['updateSubscription']> {
  const subscription = get(base.store.subscriptions, id);
  const before = itemsBefore(base, id);
  const { status, ...ofItem } = change;
  if (ofItem.priceId !== undefined) get(base.store.prices, ofItem.priceId);
  if (status !== undefined) subscription.status = status;
  Object.assign(subscription.items[0] ?? {}, ofItem);
  const event = emitOf(base, 'customer.subscription.updated', id, before);
  return { subscription, event };
}
