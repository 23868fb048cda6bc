import type { DecisionRecord, DecisionReview } from '@tributary/contracts/decision-record';
import { firstReportOf, holderOf, paymentOf, purchaseOf } from './business-facts.ts';
import { modeAt } from './codes.ts';
import { exceeds, reversalsOf } from './refunds.ts';
import { bindsByItself, evaluate, type Reason } from './referral-tests.ts';
import {
  bestReported,
  daysLater,
  factsOf,
  inOrder,
  isPurchase,
  isReferral,
  ofTenant,
  tenantsOf,
  type PurchaseEvent,
  type Referral,
  type RefundEvent,
  type World,
} from './world.ts';

/** What the rules say of one event, and nothing about how a service comes to it. */
export type ExpectedDecision = {
  eventId: string;
  outcome: DecisionRecord['outcome'];
  reason?: Reason;
  duplicateOf?: string;
  refundOf?: string;
  boundUcc?: string;
  waitsUntil?: string;
  campaignId?: string;
  campaignRevision?: number;
  referrerId?: string;
  reviews?: DecisionReview[];
  flags: string[];
  reversals: { eventId: string; reversedAmount: bigint; full: boolean }[];
};

/** By event id: every event of every tenant, each decided anew from everything. */
export function expectedDecisions(world: World): Map<string, ExpectedDecision> {
  const decisions = tenantsOf(world).flatMap((tenantId) => {
    const own = ofTenant(world, tenantId);
    return own.events.map((event) =>
      isReferral(event) ? decideReferral(own, event) : decideRefund(own, event),
    );
  });
  return new Map(decisions.map((decision) => [decision.eventId, decision]));
}

function decideReferral(world: World, event: Referral): ExpectedDecision {
  const { eventId } = event;
  const holder = holderOf(world, event);
  const binding = bindingOf(world, event);
  const ucc = binding?.ucc ?? event.ucc;
  const referred = evaluate(world, event, ucc, binding ?? event);
  const common = {
    eventId,
    ...(ucc === event.ucc ? {} : { boundUcc: ucc }),
    flags: event === holder ? derivedKeyFlag(event) : duplicateFlags(event, holder),
    reversals: isPurchase(event) && event === holder ? reversals(world, event) : [],
  };
  if (!referred.passed) {
    const { reason, waits } = referred;
    if (!waits) return { ...common, outcome: 'not-attributed', reason };
    return { ...common, outcome: 'waiting', reason, waitsUntil: daysLater(event.receivedAt, 30) };
  }
  if (event !== holder) {
    const duplicateOf = holder.eventId;
    return { ...common, outcome: 'not-attributed', reason: 'duplicate', duplicateOf };
  }
  return {
    ...common,
    outcome: 'attributed',
    campaignId: referred.issue.campaignId,
    campaignRevision: referred.revision.revision,
    referrerId: referred.issue.productUserId,
    reviews: referred.reviews,
  };
}

/**
 * In mode first-code: the user's first fact with a valid code, for what comes after it; a browser's
 * only where no backend told of one.
 */
function bindingOf(world: World, event: Referral): Referral | undefined {
  if (modeAt(world, event) !== 'first-code') return undefined;
  const first = bestReported(
    factsOf(world, event.newUser.id)
      .filter(isReferral)
      .filter((other) => bindsByItself(world, other)),
  );
  return first !== undefined && inOrder(first, event) < 0 ? first : undefined;
}

function decideRefund(world: World, event: RefundEvent): ExpectedDecision {
  const { eventId } = event;
  const first = firstReportOf(world, event);
  if (first !== event) {
    const reason = 'duplicate';
    const duplicate = { eventId, reason, duplicateOf: first.eventId } as const;
    const flags = duplicateFlags(event, first);
    return { ...duplicate, outcome: 'not-attributed', flags, reversals: [] };
  }
  const flags = derivedKeyFlag(event);
  const waiting = { eventId, outcome: 'waiting', reason: 'refund-without-purchase' } as const;
  const purchase = purchaseOf(world, event);
  if (purchase === undefined) return { ...waiting, flags, reversals: [] };
  if (event.refund.currency !== purchase.purchase.currency) {
    return { ...waiting, flags: [...flags, 'currency-mismatch'], reversals: [] };
  }
  // The legacy endpoint takes refunds without any code.
  if (event.ucc !== '' && event.ucc !== purchase.ucc) flags.push('ucc-differs');
  if (event.newUser.id !== purchase.newUser.id) flags.push('user-differs');
  if (exceeds(world, event, purchase)) flags.push('refund-exceeds-purchase');
  return {
    ...followed(world, purchase),
    eventId,
    refundOf: purchase.eventId,
    flags,
    reversals: [],
  };
}

/** What a refund takes over of the decision on its purchase. */
function followed(world: World, purchase: PurchaseEvent) {
  const decision = decideReferral(world, purchase);
  const { outcome, reason, waitsUntil, campaignId, campaignRevision, referrerId } = decision;
  return {
    outcome,
    ...(reason && { reason }),
    ...(waitsUntil !== undefined && { waitsUntil }),
    ...(campaignId !== undefined && { campaignId }),
    ...(campaignRevision !== undefined && { campaignRevision }),
    ...(referrerId !== undefined && { referrerId }),
  };
}

function reversals(world: World, event: PurchaseEvent) {
  return reversalsOf(world, event).map(({ refund, reversedAmount, full }) => ({
    eventId: refund.eventId,
    reversedAmount,
    full,
  }));
}

function duplicateFlags<E extends Referral | RefundEvent>(event: E, holder: E): string[] {
  const flags = derivedKeyFlag(event);
  const [one, two] = [paymentOf(event), paymentOf(holder)];
  if (one?.amount !== two?.amount || one?.currency !== two?.currency) flags.push('amount-differs');
  if (event.newUser.id !== holder.newUser.id) flags.push('user-differs');
  return flags;
}

/** A legacy payment without an invoice id is distinguished by weaker means. */
function derivedKeyFlag(event: Referral | RefundEvent): string[] {
  const payment = paymentOf(event);
  return payment !== undefined && payment.invoiceId === undefined ? ['derived-business-key'] : [];
}
