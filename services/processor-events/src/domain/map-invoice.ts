import type { Payment } from '@tributary/contracts/event-record';
import type { StripeInvoice, StripeLine, StripePrice } from '@tributary/contracts/processor-record';
import { aliasesOf, type FactWarning, purchaseFact } from './facts.ts';
import { type Gathering, startGathering } from './gathering.ts';
import { fitsContract, identify } from './identity.ts';
import { contractInterval } from './interval.ts';
import { mainLine } from './main-line.ts';
import type { Item, LookUp, Verdict } from './model.ts';
import { contractAmount, inMinorUnits, scaleOf, shareWithoutTax, whole } from './money.ts';

type InvoiceItem = Item & { object: StripeInvoice };

/**
 * `invoice.paid` to purchase-created. The customer is asked for first, and the rest only of one
 * that was referred: most customers were not, and nothing more is asked about them.
 */
export function mapInvoice(
  item: InvoiceItem,
  lookUp: LookUp,
  { metadataTtlMs }: { metadataTtlMs: number },
): Verdict {
  const { object: invoice, tenantId } = item;
  if ((invoice.status ?? 'paid') !== 'paid') {
    return { state: 'ignored', reason: 'not-paid', needs: [] };
  }
  const gathering = startGathering(item.receivedAt, lookUp);
  const identified = identify(invoice.customerId, item, { lookUp, gathering, metadataTtlMs });
  if (identified.outcome === 'unmatched') return identified.verdict;
  if (identified.outcome === 'asked') return incomplete(gathering);

  const paid = amountOf(item);
  if ('reason' in paid) return { state: 'unmatched', needs: [], ...paid };
  const aliases = aliasesOf(invoice.id, namesOf(invoice, gathering));
  const { subscription, warning } = subscriptionOf(invoice, gathering);
  if (gathering.needs.length > 0) return incomplete(gathering);
  const about = {
    tenantId,
    receivedAt: gathering.receivedAt(),
    occurredAtSeconds: invoice.paidAt ?? invoice.createdAt,
    identity: identified.identity,
  };
  const purchase = { invoiceId: invoice.id, ...paid, ...aliases, subscription };
  return {
    state: 'reported',
    facts: [purchaseFact(invoice.id, about, purchase, warning)],
    needs: [],
  };
}

export function incomplete({ needs }: Gathering): Verdict {
  return { state: 'waiting', reason: 'incomplete', needs, facts: [] };
}

export type Amount = Pick<Payment, 'currency' | 'amount'>;
export type NoAmount = { reason: 'unknown-currency' | 'amount-out-of-range'; detail?: string };

/** What was actually paid, by the tax policy of the connection. */
function amountOf({ object: invoice, taxPolicy }: InvoiceItem): Amount | NoAmount {
  const scale = scaleOf(invoice.currency);
  if (!scale) return { reason: 'unknown-currency', detail: invoice.currency };
  const share =
    taxPolicy === 'net' ? shareWithoutTax(invoice.total, invoice.totalExcludingTax) : whole;
  const amount = contractAmount(inMinorUnits(invoice.amountPaid, scale, share));
  if (amount === undefined) return { reason: 'amount-out-of-range' };
  return { currency: scale.currency, amount };
}

/** The payments of a paid invoice do not change, so it does not matter when they were asked. */
function namesOf(invoice: StripeInvoice, gathering: Gathering): (string | null)[] {
  const isAsked = invoice.payments === null && invoice.amountPaid > 0;
  const payments = isAsked ? gathering.ask('invoice-payments', invoice.id) : invoice.payments;
  return [invoice.number, ...(payments?.paymentIntentIds ?? []), ...(payments?.chargeIds ?? [])];
}

type Described = { subscription: NonNullable<Payment['subscription']>; warning?: FactWarning };

function subscriptionOf(invoice: StripeInvoice, gathering: Gathering): Described {
  const listed = invoice.moreLines ? gathering.ask('invoice-lines', invoice.id) : invoice;
  if (listed === undefined) return { subscription: {} };
  const line = mainLine(listed?.lines ?? invoice.lines);
  if (!line) return { subscription: { interval: oneTime } };
  const prices = [...invoice.prices, ...(listed?.prices ?? [])];
  const price = priceOf(line, prices, gathering);
  const described = line.recurring ? intervalOf(price) : { interval: oneTime };
  const { interval, warning } = described;
  const id = invoice.subscriptionId ?? line.subscriptionId;
  return {
    subscription: {
      ...(id !== null && fitsContract(id) && { id }),
      ...(interval !== undefined && { interval }),
      ...seatsAndProduct(line, price),
    },
    ...(warning && { warning }),
  };
}

/** Undefined also when it is still asked for. */
function priceOf(
  line: StripeLine,
  carried: readonly StripePrice[],
  gathering: Gathering,
): StripePrice | null | undefined {
  if (line.priceId === null) return null;
  const known = carried.find(({ id }) => id === line.priceId);
  if (known) return known;
  // For a line that is paid once, the price says no more than the product.
  if (!line.recurring && line.productId !== null) return null;
  return gathering.ask('price', line.priceId);
}

export function seatsAndProduct(
  line: StripeLine,
  price: StripePrice | null | undefined,
): Pick<NonNullable<Payment['subscription']>, 'seatsUsed' | 'productKey'> {
  const product = line.productId ?? price?.productId ?? null;
  return {
    ...(line.quantity !== null && { seatsUsed: BigInt(line.quantity).toString() }),
    ...(product !== null && fitsContract(product) && { productKey: product }),
  };
}

const oneTime = 'one-time';

function intervalOf(price: StripePrice | null | undefined): {
  interval?: string;
  warning?: FactWarning;
} {
  if (!price)
    return { warning: noInterval('Stripe does not say how often this subscription is paid') };
  if (price.interval === null) return { interval: oneTime };
  const interval = contractInterval(price.interval);
  if (interval !== undefined) return { interval };
  const { unit, count } = price.interval;
  return {
    warning: noInterval(`paid every ${count} ${unit}(s), which the contract has no word for`),
  };
}

function noInterval(why: string): FactWarning {
  return {
    code: 'INTERVAL_NOT_IN_CONTRACT',
    detail: `The subscription has no interval: ${why}.`,
    pointer: '/subscription/interval',
  };
}
