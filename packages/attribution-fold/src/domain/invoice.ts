import { cutFraction } from '@tributary/contracts/cut-fraction';
import { compareCanonical } from '@tributary/contracts/canonical-order';
import type { Reversal } from '@tributary/contracts/decision-record';
import type {
  PurchaseCreatedEvent,
  PurchaseRefundedEvent,
} from '@tributary/contracts/event-record';
import { beats, toHolder } from './claim.ts';
import type { Fact } from './fact.ts';

type RefundFact = Fact & { event: PurchaseRefundedEvent };
type PurchaseFact = Fact & { event: PurchaseCreatedEvent };

/** What was paid by one invoice and given back, from whatever source and under whatever name. */
export type Invoice = {
  /** The purchase that holds it; absent while only refunds have come. */
  purchase?: PurchaseFact;
  /** Every refund that names it, repetitions too. */
  all: readonly Fact[];
  /** By {@link refundKeyOf}: of all that report one refund, the one which counts. */
  refunds: ReadonlyMap<string, RefundFact>;
  /** How the refunds took the purchase back. */
  reversals: Reversal[];
  /** Refunds that gave back more than was paid. */
  exceeding: ReadonlySet<string>;
};

/**
 * What reports of one refund share, within their invoice. A processor may name that by its id once
 * and by a charge the next time, which the business key tells apart; its id of the refund does not
 * change.
 */
export function refundKeyOf({ event, businessKey }: RefundFact): string {
  const { refundId } = event.refund;
  return refundId === undefined ? businessKey : JSON.stringify([event.source, refundId]);
}

export function toInvoice(purchase: Fact | undefined, refunds: readonly Fact[]): Invoice {
  const counting = new Map<string, RefundFact>();
  for (const refund of refunds) {
    if (!isRefundFact(refund)) continue;
    const key = refundKeyOf(refund);
    const rival = counting.get(key);
    if (!rival || beats(toHolder(refund), toHolder(rival))) counting.set(key, refund);
  }
  if (!purchase || !isPurchaseFact(purchase)) {
    return { all: refunds, refunds: counting, reversals: [], exceeding: new Set() };
  }
  return {
    purchase,
    all: refunds,
    refunds: counting,
    ...reverse(purchase, [...counting.values()]),
  };
}

/**
 * API, legacy and widget on one side and the processor on the other may report the same refunds:
 * the larger of their sums counts, up to the purchase (design 7, "Refunds"). Another currency
 * cannot be compared and counts nothing.
 */
function reverse(
  { event: { purchase } }: PurchaseFact,
  refunds: readonly RefundFact[],
): Pick<Invoice, 'reversals' | 'exceeding'> {
  const paid = BigInt(purchase.amount);
  const sums = { processor: 0n, others: 0n };
  const reversals: Reversal[] = [];
  const exceeding = new Set<string>();
  let reversed = -1n;
  for (const { event } of refunds.toSorted((a, b) => compareCanonical(a.event, b.event))) {
    if (event.refund.currency !== purchase.currency) continue;
    const side = event.source === 'processor' ? 'processor' : 'others';
    sums[side] += BigInt(event.refund.amount);
    if (sums[side] > paid) exceeding.add(event.eventId);
    const larger = sums.processor > sums.others ? sums.processor : sums.others;
    const now = larger > paid ? paid : larger;
    if (now <= reversed || (now === 0n && paid > 0n)) continue;
    reversed = now;
    const { eventId, occurredAt, occurredAtSeconds, receivedAt } = event;
    reversals.push({
      ...{ eventId, occurredAt, occurredAtSeconds, receivedAt },
      reversedAmount: Number(now),
      full: now === paid,
    });
  }
  return { reversals: bounded(reversals).map(withCutFraction), exceeding };
}

/**
 * A decision must fit into a record of the log (1 MiB), whatever is reported: a fraction of a
 * second may have tens of thousands of digits. Of too many steps the first are kept, and the last,
 * which tells the whole amount.
 */
const maxReversals = 500;
const maxTimeDigits = 200_000;

function bounded(reversals: Reversal[]): Reversal[] {
  let room = maxTimeDigits;
  let fitting = 0;
  for (const { occurredAt, occurredAtSeconds } of reversals) {
    room -= occurredAt.length + occurredAtSeconds.length;
    if (room < 0) break;
    fitting += 1;
  }
  if (fitting === reversals.length && fitting <= maxReversals) return reversals;
  return [...reversals.slice(0, Math.min(fitting, maxReversals - 1)), ...reversals.slice(-1)];
}

function withCutFraction(reversal: Reversal): Reversal {
  return { ...reversal, occurredAt: cutFraction(reversal.occurredAt) };
}

function isRefundFact(fact: Fact): fact is RefundFact {
  return fact.event.eventType === 'purchase-refunded';
}

function isPurchaseFact(fact: Fact): fact is PurchaseFact {
  return fact.event.eventType === 'purchase-created';
}
