import type { EventType } from '@tributary/contracts/event-record';

/** `context.event.trigger` → what happened (design 8, "Legacy"). */
const eventTypes: ReadonlyMap<string, EventType> = new Map([
  ['new-signup', 'signup-created'],
  ['demo-call-attended', 'demo-attended'],
  ['invoice-paid', 'purchase-created'],
  ['charge-refunded', 'purchase-refunded'],
]);

/**
 * What a legacy event says happened, undefined when its trigger is none of the four. Without a
 * trigger, a price of 0 and no currency is a signup and anything else a payment.
 */
export function chooseEventType(
  trigger: string | undefined,
  money: { isZero: boolean; hasCurrency: boolean },
): EventType | undefined {
  if (trigger !== undefined) return eventTypes.get(trigger);
  return money.isZero && !money.hasCurrency ? 'signup-created' : 'purchase-created';
}

export const triggers: readonly string[] = [...eventTypes.keys()];
