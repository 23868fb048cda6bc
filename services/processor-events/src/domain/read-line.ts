import {
  mostStripeParts,
  type StripeLine,
  type StripePrice,
} from '@tributary/contracts/processor-record';
import { compareLines } from './main-line.ts';
import type { Members } from './members.ts';
import { carriedPrice, distinctPrices } from './read-price.ts';

export type ReadLines = { lines: StripeLine[]; prices: StripePrice[] };

/**
 * Lines of an invoice. A record has room for a number of them: of more, those that say most are
 * kept.
 */
export function readInvoiceLines(items: readonly Members[]): ReadLines {
  return keep(items.map((item) => ({ line: readInvoiceLine(item), price: carriedPrice(item) })));
}

/** Lines of a checkout session. */
export function readSessionLines(items: readonly Members[]): ReadLines {
  return keep(
    items.map((item) => {
      const price = carriedPrice(item);
      return { line: readSessionLine(item, price), price };
    }),
  );
}

type Read = { line: StripeLine; price: StripePrice | null };

function keep(read: readonly Read[]): ReadLines {
  const kept =
    read.length <= mostStripeParts
      ? read
      : [...read].sort((a, b) => compareLines(a.line, b.line)).slice(0, mostStripeParts);
  return {
    lines: kept.map(({ line }) => line),
    prices: distinctPrices(kept.map(({ price }) => price)),
  };
}

/**
 * Since 2025-03-31 a line's origin is in `parent` and its price in `pricing.price_details`; before,
 * they were `type`, `proration`, `subscription` and `price` (or `plan`) of the line.
 */
function readInvoiceLine(line: Members): StripeLine {
  const origin = line.object('parent') ? newOrigin(line) : oldOrigin(line);
  const details = line.object('pricing')?.object('price_details');
  const price = line.reference('price') ?? details?.reference('price') ?? line.reference('plan');
  return {
    id: line.reference('id'),
    amount: line.integer('amount'),
    quantity: readQuantity(line),
    ...origin,
    priceId: price,
    productId:
      details?.reference('product') ??
      line.object('price')?.reference('product') ??
      line.object('plan')?.reference('product') ??
      null,
  };
}

type Origin = Pick<StripeLine, 'recurring' | 'proration' | 'subscriptionId'>;

function newOrigin(line: Members): Origin {
  const parent = line.object('parent');
  const ofSubscription = parent?.textOrNull('type') === 'subscription_item_details';
  const details = parent?.object(
    ofSubscription ? 'subscription_item_details' : 'invoice_item_details',
  );
  const subscriptionId = details?.reference('subscription') ?? line.reference('subscription');
  const proration = details?.isTrue('proration') ?? false;
  return {
    recurring: ofSubscription || (proration && subscriptionId !== null),
    proration,
    subscriptionId,
  };
}

function oldOrigin(line: Members): Origin {
  const subscriptionId = line.reference('subscription');
  const proration = line.isTrue('proration');
  const ofSubscription = line.textOrNull('type') === 'subscription';
  return {
    recurring: ofSubscription || (proration && subscriptionId !== null),
    proration,
    subscriptionId,
  };
}

function readSessionLine(item: Members, price: StripePrice | null): StripeLine {
  return {
    id: item.reference('id'),
    amount: item.integer('amount_total'),
    quantity: readQuantity(item),
    recurring: price !== null && price.interval !== null,
    proration: false,
    priceId: item.reference('price'),
    productId: price?.productId ?? null,
    subscriptionId: null,
  };
}

function readQuantity(line: Members): number | null {
  const quantity = line.integerOrNull('quantity');
  return quantity !== null && quantity >= 0 ? quantity : null;
}
