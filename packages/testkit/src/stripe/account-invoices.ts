import type * as state from './account-state.ts';
import type { AccountBase } from './account-base.ts';
import { emitOf } from './account-events.ts';
import { get } from './account-store.ts';
import { makePayment } from './account-payments.ts';
import type { InvoiceSpec, LineSpec, StripeAccount } from './stripe-account.ts';

export function paidInvoice(
  base: AccountBase,
  spec: InvoiceSpec,
): ReturnType<StripeAccount['paidInvoice']> {
  const { store } = base;
  const created = spec.created ?? base.now();
  const id = base.newId('in');
  const lines = spec.lines.map((line) => toLine(base, spec, line, created));
  const sums = sumUp(lines, spec.tax);
  const invoice: state.InvoiceState = {
    ...{ id, created, lines, ...sums },
    status: 'paid',
    ...{ customerId: spec.customerId, currency: spec.currency },
    paidAt: spec.paidAt === undefined ? created : spec.paidAt,
    number: spec.number === undefined ? numberOf(id) : spec.number,
    billingReason: spec.billingReason ?? reasonOf(spec, lines),
    subscriptionId: spec.subscriptionId ?? null,
    amountPaid: spec.amountPaid ?? Math.max(0, sums.total),
    paidOutOfBand: spec.paidBy === 'out-of-band',
  };
  store.invoices.set(id, invoice);
  if (spec.subscriptionId !== undefined) {
    get(store.subscriptions, spec.subscriptionId).latestInvoiceId = id;
  }
  const paid = payInvoice(base, invoice, spec.paidBy ?? 'intent');
  return { invoice, ...paid, event: emitOf(base, 'invoice.paid', id) };
}

/** An invoice that has no line yet. */
export function draftInvoice(
  base: AccountBase,
  { customerId, currency }: { customerId: string; currency: string },
): state.InvoiceState {
  const id = base.newId('in');
  const invoice: state.InvoiceState = {
    ...{ id, created: base.now(), lines: [], ...sumUp([], undefined) },
    ...{ status: 'draft', customerId, currency, paidAt: null, number: null },
    ...{ billingReason: 'manual', subscriptionId: null, amountPaid: 0, paidOutOfBand: false },
  };
  base.store.invoices.set(id, invoice);
  return invoice;
}

export function addLine(base: AccountBase, invoiceId: string, line: LineSpec): state.LineState {
  const invoice = get(base.store.invoices, invoiceId);
  const { customerId, currency } = invoice;
  const added = toLine(base, { customerId, currency, lines: [] }, line, base.now());
  invoice.lines.push(added);
  Object.assign(invoice, sumUp(invoice.lines, undefined));
  return added;
}

/** A draft gets its number, and may be paid. */
export function finalizeInvoice(base: AccountBase, invoiceId: string): void {
  const invoice = get(base.store.invoices, invoiceId);
  Object.assign(invoice, { status: 'open', number: numberOf(invoiceId) });
}

/** Emits `invoice.paid`. */
export function payOpenInvoice(
  base: AccountBase,
  invoiceId: string,
): ReturnType<StripeAccount['paidInvoice']> {
  const invoice = get(base.store.invoices, invoiceId);
  const amountPaid = Math.max(0, invoice.total);
  Object.assign(invoice, { status: 'paid', paidAt: base.now(), amountPaid });
  const paid = payInvoice(base, invoice, 'intent');
  return { invoice, ...paid, event: emitOf(base, 'invoice.paid', invoiceId) };
}

function sumUp(lines: state.LineState[], tax: InvoiceSpec['tax']) {
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0);
  if (tax === null) return { subtotal, total: subtotal, totalExcludingTax: null, tax: null };
  const { amount = 0, inclusive = false } = tax ?? {};
  const total = inclusive ? subtotal : subtotal + amount;
  const known = tax === undefined ? null : amount;
  return { subtotal, total, totalExcludingTax: total - amount, tax: known };
}

function toLine(
  base: AccountBase,
  invoice: InvoiceSpec,
  spec: LineSpec,
  created: number,
): state.LineState {
  const recurring = spec.recurring ?? invoice.subscriptionId !== undefined;
  const subscription =
    recurring && invoice.subscriptionId !== undefined
      ? get(base.store.subscriptions, invoice.subscriptionId)
      : undefined;
  const item = subscription?.items[0];
  const proration = spec.proration ?? false;
  const byItem = subscription !== undefined && !proration;
  return {
    ...{ id: base.newId('il'), amount: spec.amount, proration },
    quantity: spec.quantity === undefined ? 1 : spec.quantity,
    description: proration ? 'Prorated' : 'Line',
    priceId: spec.priceId === undefined ? (item?.priceId ?? null) : spec.priceId,
    subscriptionId: subscription?.id ?? null,
    subscriptionItemId: item?.id ?? null,
    madeBy: spec.madeBy ?? (byItem ? 'subscription-item' : 'invoice-item'),
    period: subscription?.period ?? { start: created, end: created },
  };
}

/** `1A2B3C4D-0007`, as Stripe numbers. */
function numberOf(id: string): string {
  return `${id.slice(4, 12)}-${id.slice(-4)}`.toUpperCase();
}

function reasonOf(
  spec: InvoiceSpec,
  lines: state.LineState[],
): state.InvoiceState['billingReason'] {
  if (spec.subscriptionId === undefined) return 'manual';
  return lines.some((line) => line.proration) ? 'subscription_update' : 'subscription_cycle';
}

function payInvoice(
  base: AccountBase,
  invoice: state.InvoiceState,
  paidBy: NonNullable<InvoiceSpec['paidBy']>,
): { intents: state.PaymentIntentState[]; charges: state.ChargeState[] } {
  const intents: state.PaymentIntentState[] = [];
  const charges: state.ChargeState[] = [];
  for (const amount of partsOf(invoice.amountPaid, paidBy)) {
    const { customerId, currency, id: invoiceId } = invoice;
    const of = {
      customerId,
      currency,
      invoiceId,
      amount,
      created: invoice.paidAt ?? invoice.created,
    };
    const { intent, charge } = makePayment(base, of, { withIntent: paidBy !== 'charge' });
    const id = base.newId('inpay');
    base.store.invoicePayments.set(id, {
      ...{ id, created: of.created, invoiceId, amount, currency },
      isDefault: charges.length === 0,
      ...{ paymentIntentId: intent?.id ?? null, chargeId: charge.id },
    });
    if (intent !== null) intents.push(intent);
    charges.push(charge);
  }
  return { intents, charges };
}

function partsOf(amount: number, paidBy: NonNullable<InvoiceSpec['paidBy']>): number[] {
  if (amount === 0 || paidBy === 'out-of-band') return [];
  const half = Math.floor(amount / 2);
  return paidBy === 'two-intents' && half > 0 ? [half, amount - half] : [amount];
}
