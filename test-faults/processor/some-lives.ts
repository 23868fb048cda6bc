import type {
  ChargeState,
  CustomerState,
  InvoiceState,
  LineState,
  PaymentIntentState,
  PriceInterval,
  PriceState,
  SessionState,
  StripeEvent,
} from '@tributary/testkit/stripe/account-state';
import type { LineSpec, StripeAccount } from '@tributary/testkit/stripe/stripe-account';
import { createRandom, type Random } from '../chain/random.ts';
import { currencies, intervals } from './some-prices.ts';

/** What happened to one customer at Stripe, with all that a fact could be made of. */
export type StripeLife = {
  currency: string;
  customer: CustomerState;
  ucc: string;
  newUserId: string;
  prices: Map<string, PriceState>;
  invoices: PaidInvoice[];
  checkouts: Checkout[];
  events: StripeEvent[];
};

export type PaidInvoice = {
  invoice: InvoiceState;
  intents: PaymentIntentState[];
  charges: ChargeState[];
};
export type Checkout = {
  session: SessionState;
  intent: PaymentIntentState | null;
  charge: ChargeState | null;
};

type Growing = StripeLife & {
  account: StripeAccount;
  random: Random;
  subscriptionId: string;
  price: PriceState;
  quantity: number;
  now: number;
  step: number;
  sharesTax: boolean;
};

const day = 86_400;
const begin = Date.UTC(2026, 0, 5, 9) / 1_000;

/**
 * The life of a subscription from its trial to its last refund, with purchases beside it: drawn
 * from `seed`, so that two lives of one seed differ in their ids alone. It goes on by a step each
 * time that the events of the step before have been taken.
 */
export function someLife(
  account: StripeAccount,
  seed: number,
  name: string,
  who: Partial<Pick<StripeLife, 'ucc' | 'newUserId'>> = {},
) {
  const random = createRandom(seed);
  // Neighbouring seeds begin alike.
  for (let i = 0; i < 8; i++) random.below(2);
  const life = startLife(account, random, {
    ...{ ucc: `ucc-${name}`, newUserId: `user-${name}` },
    ...who,
  });
  return { life: life as StripeLife, steps: stepsOf(life) };
}

function* stepsOf(life: Growing): Generator<StripeEvent[]> {
  const { account, random, events } = life;
  let taken = 0;
  function* happened(): Generator<StripeEvent[]> {
    yield events.slice(taken);
    taken = events.length;
  }
  const steps: ((life: Growing) => void)[] = [
    subscribe,
    ...(random.happens(0.7) ? [upgrade] : []),
    ...Array.from({ length: random.below(3) }, () => renew),
    ...(random.happens(0.4) ? [buyOnce] : []),
    ...(random.happens(0.3) ? [payManualInvoice] : []),
  ];
  yield* happened();
  for (const step of steps) {
    pass(life);
    step(life);
    yield* happened();
  }
  for (const charge of chargesOf(life).filter(() => random.happens(0.6))) {
    for (let parts = 1 + random.below(3); parts > 0; parts--) {
      pass(life);
      refund(life, charge, parts === 1);
      yield* happened();
    }
  }
  account.setNow(undefined);
}

export function chargesOf({ invoices, checkouts }: StripeLife): ChargeState[] {
  return [
    ...invoices.flatMap(({ charges }) => charges),
    ...checkouts.flatMap(({ charge }) => (charge === null ? [] : [charge])),
  ];
}

function startLife(
  account: StripeAccount,
  random: Random,
  { ucc, newUserId }: Pick<StripeLife, 'ucc' | 'newUserId'>,
): Growing {
  const { currency, step } = pick(random, currencies);
  const now = begin + random.below(90 * day);
  account.setNow(now);
  const customer = account.customer({ ucc, newUserId });
  const life: Growing = {
    ...{ account, random, currency, step, customer, ucc, newUserId, now },
    ...{ prices: new Map(), invoices: [], checkouts: [], events: [] },
    ...{ subscriptionId: '', quantity: 1 + random.below(9), sharesTax: random.happens(0.6) },
    price: undefined as unknown as PriceState,
  };
  life.price = newPrice(life, pick(random, intervals));
  return life;
}

/** A trial for nothing, or the first period paid. */
function subscribe(life: Growing): void {
  const { account, customer, price, quantity, random, events } = life;
  const isTrial = random.happens(0.5);
  const { subscription, event } = account.subscription({
    ...{ customerId: customer.id, priceId: price.id, quantity },
    ...(isTrial && { trialDays: 14 }),
  });
  life.subscriptionId = subscription.id;
  events.push(event);
  const line = periodLine(life);
  const { invoice } = pay(life, [isTrial ? { ...line, amount: 0 } : line]);
  const { session, event: completed } = account.subscriptionCheckout({
    ...{ subscriptionId: subscription.id, invoiceId: invoice.id },
  });
  life.checkouts.push({ session, intent: null, charge: null });
  events.push(completed);
}

/** To more seats or another plan; Stripe gives the unused time back in a negative line. */
function upgrade(life: Growing): void {
  const { account, random, events } = life;
  const before = periodLine(life);
  const { interval } = life.price;
  life.quantity += 1 + random.below(5);
  if (random.happens(0.6)) life.price = newPrice(life, pick(random, intervals));
  const { subscriptionId, price, quantity } = life;
  events.push(account.updateSubscription(subscriptionId, { priceId: price.id, quantity }).event);
  const after = periodLine(life);
  const left = 1 + random.below(98);
  const lines: (PricedLine & { proration?: boolean })[] = [
    { ...before, amount: -part(life, before.amount, left), proration: true },
    { ...after, amount: part(life, after.amount, left), proration: true },
  ];
  // With another interval the new period begins at once.
  if (price.interval !== interval) lines.push(after);
  // Less than nothing is a credit for later.
  if (sumOf(lines) >= 0) pay(life, random.shuffle(lines));
}

function renew(life: Growing): void {
  const { random } = life;
  const lines = [periodLine(life)];
  if (random.happens(0.3)) lines.push(addition(life));
  // More than an invoice carries.
  if (random.happens(0.15)) lines.push(...Array.from({ length: 11 }, () => addition(life)));
  pay(life, random.shuffle(lines));
}

/** Sent by hand, for work; it belongs to no subscription. */
function payManualInvoice(life: Growing): void {
  pay(life, [addition(life), addition(life)], { ofSubscription: false });
}

/** A checkout without a subscription and without an invoice. */
function buyOnce(life: Growing): void {
  const { account, customer, currency, random, events } = life;
  const lines = Array.from({ length: 1 + random.below(2) }, () => addition(life)).map(
    ({ amount, priceId, quantity }) => ({ amount, priceId, quantity }),
  );
  const tax = taxOn(life, sumOf(lines));
  const { session, intent, charge, event } = account.checkout({
    ...{ customerId: customer.id, currency, lines, tax },
  });
  life.checkouts.push({ session, intent, charge });
  events.push(event);
}

/** A part of what is left, often the last of it; some fail. */
function refund(life: Growing, { id: chargeId, amount: paid }: ChargeState, isLast: boolean): void {
  const { account, random, events } = life;
  const left = paid - refundedOf(account, chargeId);
  const isAll = isLast && random.happens(0.6);
  const amount = isAll ? left : part(life, left, 5 + random.below(90));
  const status = random.happens(0.1) ? 'pending' : 'succeeded';
  const fails = random.happens(0.15);
  if (amount <= 0) return;
  const { refund: made, event } = account.refund({ chargeId, amount, status });
  // Before anybody hears of it; what fails later was a fact already.
  if (fails) account.failRefund(made.id);
  else events.push(event);
}

/** What of a charge was given back, or is about to be. */
function refundedOf(account: StripeAccount, chargeId: string): number {
  return sumOf(account.refundsOf(chargeId).filter(({ status }) => status !== 'failed'));
}

function pay(life: Growing, lines: LineSpec[], { ofSubscription = true } = {}): PaidInvoice {
  const { account, customer, currency, random, subscriptionId } = life;
  const net = sumOf(lines);
  const tax = taxOn(life, net);
  const total = net + tax;
  const fromBalance = random.happens(0.2) ? part(life, total, 1 + random.below(100)) : 0;
  const created = account.now();
  const { invoice, intents, charges, event } = account.paidInvoice({
    ...{ customerId: customer.id, currency, lines, amountPaid: total - fromBalance, created },
    ...{ tax: { amount: tax }, paidAt: created + 120 },
    ...(ofSubscription && { subscriptionId }),
  });
  const paid = { invoice, intents, charges };
  life.invoices.push(paid);
  life.events.push(event);
  return paid;
}

type PricedLine = { amount: number; priceId: string; quantity: number; recurring: boolean };

function periodLine({ price, quantity }: Growing): PricedLine {
  const amount = price.unitAmount * quantity;
  return { amount, priceId: price.id, quantity, recurring: true };
}

/** Something that is paid once. */
function addition(life: Growing): PricedLine {
  const quantity = 1 + life.random.below(4);
  const { id: priceId, unitAmount } = newPrice(life, null);
  return { amount: unitAmount * quantity, priceId, quantity, recurring: false };
}

function newPrice(life: Growing, interval: PriceInterval | null): PriceState {
  const { account, random, currency, step, prices } = life;
  const unitAmount = step * (7 + random.below(9_000));
  const price = account.price({ currency, unitAmount, interval });
  prices.set(price.id, price);
  return price;
}

function taxOn(life: Growing, net: number): number {
  const percent = pick(life.random, [7, 19, 21]);
  return life.sharesTax ? part(life, net, percent) : 0;
}

/** A share in hundredths, in steps that Stripe takes. */
function part({ step }: Growing, amount: number, percent: number): number {
  return Math.floor((amount * percent) / 100 / step) * step;
}

function pass(life: Growing): void {
  life.now += day + life.random.below(20 * day);
  life.account.setNow(life.now);
}

function sumOf(parts: readonly Pick<LineState, 'amount'>[]): number {
  return parts.reduce((sum, { amount }) => sum + amount, 0);
}

function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.below(items.length)]!;
}
