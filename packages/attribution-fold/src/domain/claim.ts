import { compareCanonical } from '@tributary/contracts/canonical-order';
import type { EventSource } from '@tributary/contracts/event-record';
import { type Fact, isRefund, paymentOf } from './fact.ts';

/**
 * Who holds a business key. Of all facts with one key, whatever becomes of them, the source decides
 * and then the canonical order (design 7); so the holder depends on the set of facts alone. An
 * invoice of several names has a claim under each of them, all with one holder (contest.ts).
 */
export type Claim = {
  tenantId: string;
  businessKey: string;
  /** Absent: only refunds have named the invoice. */
  holder?: Holder;
  /** Shared by the names of one invoice; absent: it has this name only. */
  invoice?: string;
};

export type Holder = {
  eventId: string;
  newUserId: string;
  source: EventSource;
  occurredAtSeconds: string;
  receivedAt: string;
  /** What was paid or refunded, in minor units. */
  amount?: number;
  currency?: string;
};

/** Whether `challenger` takes the key from `present`. */
export function beats(challenger: Holder, present: Holder): boolean {
  const bySource = sourceRank[challenger.source] - sourceRank[present.source];
  return (bySource || compareCanonical(challenger, present)) < 0;
}

const sourceRank: Record<EventSource, number> = { v2: 0, processor: 1, legacy: 2, widget: 3 };

export function toHolder({ event }: Fact): Holder {
  const { eventId, source, occurredAtSeconds, receivedAt } = event;
  const holder: Holder = {
    eventId,
    newUserId: event.newUser.id,
    source,
    occurredAtSeconds,
    receivedAt,
  };
  const payment = paymentOf(event);
  if (payment) {
    holder.amount = payment.amount;
    holder.currency = payment.currency;
  }
  return holder;
}

/** A refund holds no invoice; one that names none has a key of its own. */
export function holds(fact: Fact, businessKey: string): boolean {
  return !isRefund(fact) || fact.businessKey === businessKey;
}
