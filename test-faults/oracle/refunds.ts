import { firstReportOf, purchaseOf, sharingNames } from './business-facts.ts';
import { inOrder, isRefund, type PurchaseEvent, type RefundEvent, type World } from './world.ts';

/** The refunds that count against a purchase: matched, in its currency, each reported once. */
export function refundsOf(world: World, purchase: PurchaseEvent): RefundEvent[] {
  return sharingNames(world, purchase)
    .filter(isRefund)
    .filter((refund) => purchaseOf(world, refund) === purchase)
    .filter((refund) => refund.refund.currency === purchase.purchase.currency)
    .filter((refund) => firstReportOf(world, refund) === refund)
    .sort(inOrder);
}

export type ReversalStep = { refund: RefundEvent; reversedAmount: bigint; full: boolean };

/** After each refund: the larger of the two sums, at most what was paid. */
export function reversalsOf(world: World, purchase: PurchaseEvent): ReversalStep[] {
  const refunds = refundsOf(world, purchase);
  const paid = BigInt(purchase.purchase.amount);
  const steps: ReversalStep[] = [];
  for (let i = 0; i < refunds.length; i++) {
    const reversedAmount = least(paid, largerSum(refunds.slice(0, i + 1)));
    const before = steps.at(-1)?.reversedAmount ?? 0n;
    const isFirstOfFree = paid === 0n && steps.length === 0;
    if (reversedAmount === before && !isFirstOfFree) continue;
    steps.push({ refund: refunds[i]!, reversedAmount, full: reversedAmount === paid });
  }
  return steps;
}

/** Whether its source had given back more than was paid once this refund was given. */
export function exceeds(world: World, refund: RefundEvent, purchase: PurchaseEvent): boolean {
  const sameSide = refundsOf(world, purchase).filter((other) => side(other) === side(refund));
  const until = sameSide.filter((other) => inOrder(other, refund) <= 0);
  return sum(until) > BigInt(purchase.purchase.amount);
}

function largerSum(refunds: readonly RefundEvent[]): bigint {
  const processor = sum(refunds.filter((refund) => side(refund) === 'processor'));
  const customer = sum(refunds.filter((refund) => side(refund) === 'customer'));
  return processor > customer ? processor : customer;
}

function sum(refunds: readonly RefundEvent[]): bigint {
  return refunds.reduce((total, refund) => total + BigInt(refund.refund.amount), 0n);
}

/** A processor and the customer's own systems report the same money. */
function side(refund: RefundEvent): 'processor' | 'customer' {
  return refund.source === 'processor' ? 'processor' : 'customer';
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
