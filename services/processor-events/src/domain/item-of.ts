import { derivedId } from '@tributary/contracts/derived-id';
import type {
  ProcessorRecord,
  StripeCharge,
  StripeObject,
  StripeRefund,
} from '@tributary/contracts/processor-record';
import { compareContent, compareText } from './compare-text.ts';
import type { Item, ItemType } from './model.ts';
import { compareRefunds } from './read-charge.ts';

/**
 * The item that a record tells of: of an invoice, session or charge that was received, or that a
 * reconciliation found. What was asked for to complete an item is a reading only.
 */
export function itemOf(record: ProcessorRecord): Item | undefined {
  if (record.type === 'fetched' && record.cause === 'need') return undefined;
  const object = record.object && itemObject(record.object);
  if (!object) return undefined;
  const { tenantId, connectionId, subject, taxPolicy, receivedAt } = record;
  const type = object.object === 'unreadable' ? object.type : object.object;
  const item: Item = {
    itemId: itemIdOf(tenantId, type, object.id),
    tenantId,
    connectionId,
    type,
    objectId: object.id,
    subject,
    object,
    taxPolicy,
    receivedAt,
  };
  if (record.type === 'received' && record.ignored) item.ignored = record.ignored;
  return item;
}

export function itemIdOf(tenantId: string, type: ItemType, objectId: string): string {
  return derivedId('processor-item', tenantId, type, objectId);
}

function itemObject(object: StripeObject): Item['object'] | undefined {
  switch (object.object) {
    case 'invoice':
    case 'checkout-session':
    case 'charge':
    case 'unreadable':
      return object;
    default:
      return undefined;
  }
}

/**
 * What two tellings of one item say together. Commutative, associative and idempotent, so neither
 * the order of events nor their repetition counts:
 *   one that is readable, of our mode and (invoice, session) paid says more than one that is not;
 *   of two such the fuller, then the one received first: what was paid does not change;
 *   charges are joined, as each tells of the refunds so far. The join was received when the last of
 *   them was, so a list of refunds that is read after that has all of them.
 */
export function betterTelling(a: Item, b: Item): Item {
  const [first, second] = compareTellings(a, b) >= 0 ? [a, b] : [b, a];
  if (first.object.object !== 'charge' || second.object.object !== 'charge') return first;
  if (first.ignored !== second.ignored) return first;
  return { ...first, object: joinCharges(first.object, second.object) };
}

/** Positive when `a` says more. */
function compareTellings(a: Item, b: Item): number {
  const [x, y] = [weightOf(a), weightOf(b)];
  const heavier = x.map((part, n) => part - y[n]!).find((difference) => difference !== 0);
  if (heavier !== undefined) return heavier;
  const later = compareText(a.receivedAt, b.receivedAt);
  if (later !== 0) return a.object.object === 'charge' ? later : 0 - later;
  return (
    compareText(a.connectionId, b.connectionId) ||
    compareText(a.taxPolicy, b.taxPolicy) ||
    // A join of charges keeps what the heavier one says of itself, see there.
    (a.object.object === 'charge' ? 0 : compareContent(a, b))
  );
}

function weightOf({ object, ignored }: Item): number[] {
  const common = [Number(object.object !== 'unreadable'), Number(ignored === undefined)];
  switch (object.object) {
    case 'invoice':
      return [
        ...common,
        Number(object.status === 'paid'),
        Number(object.payments !== null),
        Number(!object.moreLines),
        object.prices.length,
      ];
    case 'checkout-session':
      return [
        ...common,
        Number(object.paymentStatus === 'paid'),
        Number(object.invoiceId !== null),
        Number(object.paymentIntentId !== null),
      ];
    case 'charge':
    case 'unreadable':
      return common;
    default:
      return object satisfies never;
  }
}

/**
 * Members that never change are taken where they are told; the rest by rules that know no order.
 */
function joinCharges(a: StripeCharge, b: StripeCharge): StripeCharge {
  const joined: StripeCharge = {
    object: 'charge',
    id: a.id,
    customerId: largest(a.customerId, b.customerId),
    paymentIntentId: largest(a.paymentIntentId, b.paymentIntentId),
    currency: a.currency > b.currency ? a.currency : b.currency,
    amount: Math.max(a.amount, b.amount),
    amountRefunded: Math.max(a.amountRefunded, b.amountRefunded),
    createdAt: Math.min(a.createdAt, b.createdAt),
  };
  if (a.invoiceId !== undefined || b.invoiceId !== undefined) {
    joined.invoiceId = largest(a.invoiceId ?? null, b.invoiceId ?? null);
  }
  if (a.refunds || b.refunds) joined.refunds = joinRefunds(a.refunds ?? [], b.refunds ?? []);
  return joined;
}

function largest(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

function joinRefunds(a: StripeRefund[], b: StripeRefund[]): StripeRefund[] {
  const byId = new Map<string, StripeRefund>();
  for (const refund of [...a, ...b]) {
    const other = byId.get(refund.id);
    if (!other || compareProgress(refund, other) > 0) byId.set(refund.id, refund);
  }
  return [...byId.values()].sort(compareRefunds);
}

/** Positive when `a` is further on its way: a refund that failed does so after all else. */
function compareProgress(a: StripeRefund, b: StripeRefund): number {
  return (
    progress.indexOf(a.status ?? '') - progress.indexOf(b.status ?? '') || compareContent(a, b)
  );
}

const progress = ['', 'requires_action', 'pending', 'succeeded', 'canceled', 'failed'];
