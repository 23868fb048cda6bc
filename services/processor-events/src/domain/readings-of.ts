import type {
  FetchedType,
  ProcessorRecord,
  StripeObject,
  StripePrice,
} from '@tributary/contracts/processor-record';
import type { Reading } from './model.ts';

export type ReadingOf = { type: FetchedType; id: string; reading: Reading };

/**
 * What a record tells of objects at Stripe, by the type and id that would be asked for. An event
 * tells the whole of its object at some moment, so it counts like an answer. A charge that was
 * received tells nothing here: its refunds are kept with its item, as an older event may come last.
 * Of the other mode nothing is taken.
 */
export function readingsOf(record: ProcessorRecord): ReadingOf[] {
  const { receivedAt, object } = record;
  if (!object || (record.type === 'received' && record.ignored)) return [];
  if (object.object === 'charge' && record.type === 'received') return [];
  const names = [...namesOf(object), ...pricesOf(object).map(priceName)];
  return names.map(({ type, id, of }) => ({ type, id, reading: { object: of, receivedAt } }));
}

/**
 * What is kept of an object when something is read of it again, in the order of the log: the later
 * reading, but
 *   a price does not change, and the first reading of it stays;
 *   what was known stays known when Stripe no longer has it or the answer is not understood; so a
 *   customer that was deleted keeps the metadata it had, as Stripe then gives none;
 *   a session that was paid stays paid, whatever an event that was under way says.
 */
export function nextReading(before: Reading | undefined, next: Reading): Reading {
  if (!before || !isKnown(before.object)) return next;
  const [old, now] = [before.object, next.object];
  const { receivedAt } = next;
  if (old.object === 'price') return before;
  if (old.object === 'customer' && isGone(now)) {
    return { object: { ...old, deleted: true }, receivedAt };
  }
  if (!isKnown(now) || (isPaidSession(old) && !isPaidSession(now))) {
    return { object: old, receivedAt };
  }
  return next;
}

function isKnown(object: StripeObject): boolean {
  return object.object !== 'absent' && object.object !== 'unreadable';
}

/** A deleted customer comes without its metadata. */
function isGone(object: StripeObject): boolean {
  if (object.object !== 'customer') return object.object === 'absent';
  return object.deleted && object.ucc === null && object.newUserId === null;
}

function isPaidSession(object: StripeObject): boolean {
  return object.object === 'checkout-session' && object.paymentStatus === 'paid';
}

type Named = { type: FetchedType; id: string; of: StripeObject };

function namesOf(object: StripeObject): Named[] {
  switch (object.object) {
    case 'customer':
    case 'price':
    case 'invoice':
    case 'charge':
    case 'payment-intent':
      return [{ type: object.object, id: object.id, of: object }];
    case 'checkout-session': {
      // By its payment as well: a refund names that, and not the session.
      const ids = [object.id, object.paymentIntentId].filter((id) => id !== null);
      return ids.map((id) => ({ type: object.object, id, of: object }));
    }
    case 'refunds':
      return [{ type: 'refunds', id: object.chargeId, of: object }];
    case 'invoice-payments':
      return [{ type: 'invoice-payments', id: object.invoiceId, of: object }];
    case 'payment-invoice':
      return [{ type: 'payment-invoice', id: object.paymentIntentId, of: object }];
    case 'invoice-lines':
    case 'session-lines':
      return [{ type: object.object, id: object.ownerId, of: object }];
    case 'absent':
    case 'unreadable':
      return [{ type: object.type, id: object.id, of: object }];
    case 'subscription':
      return [];
    default:
      return object satisfies never;
  }
}

function pricesOf(object: StripeObject): StripePrice[] {
  return 'prices' in object ? object.prices : [];
}

function priceName(price: StripePrice): Named {
  return { type: 'price', id: price.id, of: price };
}
