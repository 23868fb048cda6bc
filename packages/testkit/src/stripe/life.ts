import type { InvoiceSpec, LineSpec, StripeAccount } from './stripe-account.ts';
import type { PriceInterval, StripeEvent, SubscriptionState } from './account-state.ts';
import { refundedAmount } from './account-store.ts';

/** What happens in a subscription's life, in order. Amounts are minor units. */
export type LifeStep =
  /** Has an effect at the beginning only: an invoice of 0. */
  | { step: 'trial'; days: number }
  /** A period: quantity x unit amount, a one-off line on top, a negative line, a tax on top. */
  | { step: 'pay'; tax?: number; oneOff?: number; discount?: number }
  /**
   * To another price and quantity in the middle of a period: what is unused comes back as a
   * negative line.
   */
  | { step: 'upgrade'; unitAmount: number; quantity: number; tax?: number }
  /** A period with this many lines. */
  | { step: 'many-lines'; lines: number }
  /**
   * A part of what is left of an invoice (counted modulo the number of those that were paid), 1 to
   * 1000 per mille; nothing when there is nothing left. A refund may fail a moment later.
   */
  | { step: 'refund'; invoice: number; perMille: number; fails?: boolean };

export type LifeSpec = {
  ucc?: string;
  newUserId?: string;
  /** Lower case; jpy has 0 decimals, eur 2, bhd 3. */
  currency: string;
  unitAmount: number;
  quantity: number;
  interval: PriceInterval;
  steps: readonly LifeStep[];
  /** Unix seconds; a step is a day later than the one before. Default 60 days ago. */
  startsAt?: number;
};

export type Life = {
  customerId: string;
  subscriptionId: string;
  /** In the order in which they happened. */
  events: StripeEvent[];
  invoiceIds: string[];
  /** Those that count: neither failed nor canceled. */
  refundIds: string[];
};

const daySeconds = 86_400;

/** Lives through the steps in the account; its present is as before afterwards. */
export function liveSubscription(account: StripeAccount, spec: LifeSpec): Life {
  const startsAt = spec.startsAt ?? account.now() - 60 * daySeconds;
  const firstEvent = account.events.length;
  account.setNow(startsAt);
  const { currency, unitAmount, quantity, interval, steps } = spec;
  const { id: customerId } = account.customer(spec);
  const price = account.price({ currency, unitAmount, interval });
  const [first] = steps;
  const { subscription } = account.subscription({
    ...{ customerId, priceId: price.id, quantity },
    ...(first?.step === 'trial' ? { trialDays: first.days } : {}),
  });
  const lived: Lived = { account, spec, subscription, invoiceIds: [], refundIds: [] };
  steps.forEach((step, index) => {
    account.setNow(startsAt + (index + 1) * daySeconds);
    if (step.step !== 'trial' || index === 0) take(lived, step);
  });
  account.setNow(undefined);
  const { invoiceIds, refundIds } = lived;
  const events = account.events.slice(firstEvent);
  return { customerId, subscriptionId: subscription.id, events, invoiceIds, refundIds };
}

type Lived = {
  account: StripeAccount;
  spec: LifeSpec;
  subscription: SubscriptionState;
  invoiceIds: string[];
  refundIds: string[];
};

function take(lived: Lived, step: LifeStep): void {
  switch (step.step) {
    case 'trial':
      return bill(lived, [{ amount: 0, quantity: quantityOf(lived) }]);
    case 'pay': {
      const { oneOff, discount, tax } = step;
      return bill(lived, [period(lived), ...aside(oneOff), ...aside(discount && -discount)], tax);
    }
    case 'many-lines': {
      const others = Array.from({ length: step.lines - 1 }, (_, index) => aside(index + 1));
      return bill(lived, [...others.flat(), period(lived)]);
    }
    case 'upgrade':
      return upgrade(lived, step);
    case 'refund':
      return refund(lived, step);
  }
}

function bill(lived: Lived, lines: LineSpec[], tax?: number): void {
  const { account, spec, subscription } = lived;
  const isFirst = lived.invoiceIds.length === 0;
  const invoice: InvoiceSpec = {
    ...{ customerId: subscription.customerId, subscriptionId: subscription.id, lines },
    ...{ currency: spec.currency, ...(tax === undefined ? {} : { tax: { amount: tax } }) },
    ...(isFirst ? { billingReason: 'subscription_create' } : {}),
  };
  const { id: invoiceId } = account.paidInvoice(invoice).invoice;
  lived.invoiceIds.push(invoiceId);
  if (isFirst) account.subscriptionCheckout({ subscriptionId: subscription.id, invoiceId });
}

/** The change is paid for half of a period. */
function upgrade(lived: Lived, step: Extract<LifeStep, { step: 'upgrade' }>): void {
  const { account, spec, subscription } = lived;
  const before = period(lived);
  const { currency, interval } = spec;
  const price = account.price({ currency, interval, unitAmount: step.unitAmount });
  const quantity = step.quantity;
  account.updateSubscription(subscription.id, { priceId: price.id, quantity, status: 'active' });
  const unused: LineSpec = { ...before, amount: -Math.floor(before.amount / 2), proration: true };
  const ahead = Math.floor((step.unitAmount * quantity) / 2);
  bill(lived, [unused, { ...period(lived), amount: ahead, proration: true }], step.tax);
}

function refund(lived: Lived, step: Extract<LifeStep, { step: 'refund' }>): void {
  const { account } = lived;
  const charges = lived.invoiceIds.flatMap((invoiceId) =>
    [...account.store.charges.values()].filter((charge) => charge.invoiceId === invoiceId),
  );
  const charge = charges[step.invoice % charges.length];
  if (charge === undefined) return;
  const left = charge.amount - refundedAmount(account.store, charge.id);
  if (left === 0) return;
  const amount = Math.max(1, Math.floor((left * step.perMille) / 1_000));
  const made = account.refund({ chargeId: charge.id, amount });
  if (step.fails === true) account.failRefund(made.refund.id);
  else lived.refundIds.push(made.refund.id);
}

function period(lived: Lived): LineSpec & { amount: number } {
  const [item] = lived.subscription.items;
  const unitAmount = lived.account.store.prices.get(item?.priceId ?? '')?.unitAmount ?? 0;
  const quantity = quantityOf(lived);
  return { amount: unitAmount * quantity, quantity, priceId: item?.priceId ?? null };
}

function quantityOf({ subscription }: Lived): number {
  return subscription.items[0]?.quantity ?? 1;
}

/** A line that is not the subscription's. */
function aside(amount: number | undefined): LineSpec[] {
  return amount === undefined ? [] : [{ amount, recurring: false, priceId: null }];
}
