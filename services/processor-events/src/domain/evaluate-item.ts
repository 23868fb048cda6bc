import type { Item, LookUp, Verdict } from './model.ts';
import { mapCharge } from './map-charge.ts';
import { mapInvoice } from './map-invoice.ts';
import { mapSession } from './map-session.ts';
import { afterReading } from './gathering.ts';

export type EvaluateOptions = {
  /** How much older than an item a customer's metadata may be. */
  metadataTtlMs: number;
};

/**
 * What becomes of an item, by what is known now: a pure function of the item and of what is looked
 * up. Of a subject's items, invoices and sessions are to be evaluated before charges, as a refund
 * goes by the identity of the purchase that was reported. An item of state `reported` is final, but
 * that of a charge is evaluated again when more is reported of it, and when its `needs` are
 * answered.
 */
export function evaluateItem(item: Item, lookUp: LookUp, options: EvaluateOptions): Verdict {
  if (item.ignored !== undefined) return { state: 'unmatched', reason: 'other-mode', needs: [] };
  switch (item.object.object) {
    case 'invoice':
      return mapInvoice({ ...item, object: item.object }, lookUp, options);
    case 'checkout-session':
      return mapSession({ ...item, object: item.object }, lookUp, options);
    case 'charge':
      return mapCharge({ ...item, object: item.object }, lookUp, options);
    case 'unreadable':
      return evaluateUnreadable(item, item.object.detail, lookUp, options);
    default:
      return item.object satisfies never;
  }
}

/** Asked for again by its id: with another API version or a later release it may be readable. */
function evaluateUnreadable(
  item: Item,
  detail: string,
  lookUp: LookUp,
  options: EvaluateOptions,
): Verdict {
  const { type, objectId: id } = item;
  const reading = lookUp.reading(type, id);
  const needs = [{ type, id, ...afterReading(reading) }];
  if (reading?.object.object === 'absent') {
    return { state: 'unmatched', reason: 'absent', needs };
  }
  const object = reading?.object;
  if (
    object?.object === 'invoice' ||
    object?.object === 'checkout-session' ||
    object?.object === 'charge'
  ) {
    const receivedAt =
      reading!.receivedAt > item.receivedAt ? reading!.receivedAt : item.receivedAt;
    return evaluateItem({ ...item, object, receivedAt }, lookUp, options);
  }
  return { state: 'unmatched', reason: 'unreadable', detail, needs };
}
