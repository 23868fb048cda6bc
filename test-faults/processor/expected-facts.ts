import { derivedId } from '@tributary/contracts/derived-id';
import type {
  EventRecord,
  PurchaseCreatedEvent,
  PurchaseRefundedEvent,
} from '@tributary/contracts/event-record';
import type { TaxPolicy } from '@tributary/contracts/processor-record';
import type {
  ChargeState,
  LineState,
  PriceInterval,
  RefundState,
  SessionState,
} from '@tributary/testkit/stripe/account-state';
import { chargesOf, type Checkout, type PaidInvoice, type StripeLife } from './some-lives.ts';

/** A fact without the moment at which the system could know it. */
export type ExpectedFact = Reported<PurchaseCreatedEvent> | Reported<PurchaseRefundedEvent>;
type Reported<E extends EventRecord> = Omit<E, 'receivedAt' | 'schemaVersion'>;

export type ReportedLife = {
  tenantId: string;
  taxPolicy: TaxPolicy;
  refundsOf(chargeId: string): readonly RefundState[];
};

/**
 * What the semantics of the mapping (docs/stripe.md) make of a life, written from them alone: of
 * each paid invoice and each paid checkout without one a purchase, of each refund that did not fail
 * a refund. By event id.
 */
export function expectedFacts(life: StripeLife, reported: ReportedLife): Map<string, ExpectedFact> {
  const facts = [
    ...life.invoices.map((paid) => ofInvoice(life, paid, reported)),
    ...life.checkouts
      .filter(({ session }) => isPaidByItself(session))
      .map((checkout) => ofCheckout(life, checkout, reported)),
    ...chargesOf(life).flatMap((charge) => ofRefunds(life, charge, reported)),
  ];
  return new Map(facts.map((fact) => [fact.eventId, fact]));
}

function isPaidByItself({ invoiceId, paymentStatus }: SessionState): boolean {
  return invoiceId === null && paymentStatus === 'paid';
}

function ofInvoice(life: StripeLife, paid: PaidInvoice, reported: ReportedLife): ExpectedFact {
  const { invoice, intents, charges } = paid;
  const { id, number, total, tax, amountPaid, subscriptionId, paidAt } = invoice;
  const share = { over: total - (tax ?? 0), under: total };
  const main = mainLine(invoice.lines);
  const { warnings, ...described } = describe(life, main);
  return {
    ...common(life, reported, ['purchase', id], paidAt!),
    eventType: 'purchase-created',
    purchase: {
      invoiceId: id,
      aliases: [number!, ...[...intents, ...charges].map((one) => one.id)].sort(),
      ...money(life, amountPaid, reported.taxPolicy === 'net' ? share : whole),
      subscription: { ...(subscriptionId !== null && { id: subscriptionId }), ...described },
    },
    ...(warnings && { warnings }),
  };
}

function ofCheckout(life: StripeLife, checkout: Checkout, reported: ReportedLife): ExpectedFact {
  const { session, intent, charge } = checkout;
  const { amountTotal, amountTax } = session;
  const amount = amountTotal! - (reported.taxPolicy === 'net' ? amountTax : 0);
  return {
    ...common(life, reported, ['purchase', session.id], charge!.created),
    eventType: 'purchase-created',
    purchase: {
      ...{ invoiceId: intent!.id, aliases: [charge!.id], ...money(life, amount, whole) },
      subscription: { ...describe(life, largest(session.lines)), interval: 'one-time' },
    },
  };
}

/**
 * By how much the sum of refunds grew with each. Net sums are rounded up, but not above what the
 * payment counted as: all is all.
 */
function ofRefunds(life: StripeLife, charge: ChargeState, reported: ReportedLife): ExpectedFact[] {
  const { id: chargeId, paymentIntentId, invoiceId: paidInvoiceId } = charge;
  const names = [paymentIntentId!, chargeId].sort();
  const invoiceId = paidInvoiceId ?? paymentIntentId!;
  const share = reported.taxPolicy === 'net' ? netShareOf(life, charge) : whole;
  const most = halfEven(minorUnits(life.currency, charge.amount, share));
  let refunded = 0;
  let before = 0n;
  return inOrder(reported.refundsOf(chargeId)).map(({ id, amount, created }) => {
    refunded += amount;
    const sum = up(minorUnits(life.currency, refunded, share));
    const now = sum > most ? most : sum;
    const grown = now - before;
    before = now;
    return {
      ...common(life, reported, ['refund', id], created),
      eventType: 'purchase-refunded',
      refund: {
        ...{ invoiceId, aliases: names.filter((name) => name !== invoiceId) },
        ...{ currency: life.currency.toUpperCase(), amount: Number(grown), refundId: id },
      },
    };
  });
}

function inOrder(refunds: readonly RefundState[]): RefundState[] {
  return refunds
    .filter(({ status }) => status !== 'failed' && status !== 'canceled')
    .sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
}

function netShareOf({ invoices, checkouts }: StripeLife, charge: ChargeState): Share {
  const invoice = invoices.find(({ invoice: { id } }) => id === charge.invoiceId)?.invoice;
  if (invoice) return { over: invoice.total - (invoice.tax ?? 0), under: invoice.total };
  const { session } = checkouts.find((checkout) => checkout.charge?.id === charge.id)!;
  return { over: session.amountTotal! - session.amountTax, under: session.amountTotal! };
}

function common(life: StripeLife, reported: ReportedLife, cause: string[], seconds: number) {
  const { ucc, newUserId } = life;
  return {
    eventId: derivedId('processor-fact', reported.tenantId, ...cause),
    ...{
      tenantId: reported.tenantId,
      source: 'processor' as const,
      ucc,
      newUser: { id: newUserId },
    },
    occurredAt: new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z'),
    occurredAtSeconds: String(seconds),
  };
}

function money({ currency }: StripeLife, amount: number, share: Share) {
  const inMinorUnits = halfEven(minorUnits(currency, amount, share));
  return { currency: currency.toUpperCase(), amount: Number(inMinorUnits) };
}

/** A subscription's own line says what was bought; what was changed within a period says less. */
function mainLine(lines: readonly LineState[]): LineState {
  const recurring = lines.filter((line) => line.subscriptionId !== null);
  const whole = recurring.filter((line) => !line.proration);
  if (whole.length > 0) return largest(whole);
  return largest(recurring.length > 0 ? recurring : lines);
}

type Sold = Pick<LineState, 'id' | 'amount' | 'quantity' | 'priceId'>;

function largest<L extends Sold>(lines: readonly L[]): L {
  return lines.toSorted((a, b) => b.amount - a.amount || (a.id < b.id ? -1 : 1))[0]!;
}

function describe(life: StripeLife, { quantity, priceId }: Sold) {
  const { interval, productId } = life.prices.get(priceId!)!;
  return { ...intervalOf(interval), seatsUsed: String(quantity), productKey: productId };
}

const names: Readonly<Record<string, string>> = {
  ...{ 'day 7': 'weekly', 'week 1': 'weekly', 'day 14': 'bi-weekly', 'week 2': 'bi-weekly' },
  ...{ 'month 1': 'monthly', 'month 3': 'quarterly', 'month 6': 'semi-annual' },
  ...{ 'month 12': 'yearly', 'year 1': 'yearly', 'month 24': 'biennial', 'year 2': 'biennial' },
  ...{ 'month 36': 'triennial', 'year 3': 'triennial' },
};

/** How a warning is worded is the service's own affair. */
export const anyDetail = '(any detail)';

type Described = { interval?: string; warnings?: NonNullable<EventRecord['warnings']> };

function intervalOf(interval: PriceInterval | null): Described {
  if (interval === null) return { interval: 'one-time' };
  const name = names[`${interval.unit} ${interval.count}`];
  if (name !== undefined) return { interval: name };
  const pointer = '/subscription/interval';
  return { warnings: [{ code: 'INTERVAL_NOT_IN_CONTRACT', detail: anyDetail, pointer }] };
}

type Share = { over: number; under: number };
const whole: Share = { over: 1, under: 1 };

/** Not rounded yet. */
type Exact = { over: bigint; under: bigint };

/** By Stripe's page https://docs.stripe.com/currencies, "Zero-decimal" and "Special cases". */
function minorUnits(currency: string, amount: number, { over, under }: Share): Exact {
  const { times = 1n, per = 1n } = specialCases[currency] ?? {};
  // No share of nothing is anything.
  if (amount === 0) return { over: 0n, under: 1n };
  return { over: BigInt(amount) * BigInt(over) * times, under: BigInt(under) * per };
}

const specialCases: Readonly<Record<string, { times?: bigint; per?: bigint }>> = {
  mga: { times: 100n },
  isk: { per: 100n },
  ugx: { per: 100n },
};

function up({ over, under }: Exact): bigint {
  return (over + under - 1n) / under;
}

function halfEven({ over, under }: Exact): bigint {
  const down = over / under;
  const twice = (over % under) * 2n;
  const isUp = twice > under || (twice === under && down % 2n === 1n);
  return isUp ? down + 1n : down;
}
