import { decisionSchemaVersion, type DecisionRecord } from '@tributary/contracts/decision-record';
import { businessKeyOf, paymentOf } from './business-facts.ts';
import type { ExpectedDecision } from './decisions.ts';
import { eventOf, isPurchase, ofTenant, type Referral, type World } from './world.ts';

/**
 * An expected decision on a signup, demo or purchase as attribution would publish it, so that the
 * fold of rewards can be evaluated by itself.
 */
export function asDecision(
  world: World,
  event: Referral,
  expected: ExpectedDecision,
): DecisionRecord {
  const { eventId, outcome, reason, reviews = [], flags, reversals } = expected;
  const { campaignId, campaignRevision, referrerId } = expected;
  const { tenantId, eventType, source, ucc, occurredAt, occurredAtSeconds, receivedAt } = event;
  const payment = paymentOf(event);
  return {
    ...{ schemaVersion: decisionSchemaVersion, decisionId: `decision-${eventId}`, version: 1 },
    ...{ tenantId, eventId, eventType, source, newUserId: event.newUser.id, ucc },
    ...{ occurredAt, occurredAtSeconds, receivedAt },
    ...{ businessKey: businessKeyOf(ofTenant(world, tenantId), event), outcome, flags, tests: [] },
    ...(payment && isPurchase(event) && { purchase: payment }),
    ...(reason && { reason }),
    ...(reviews.length > 0 && { review: reviews }),
    ...(campaignId !== undefined && { campaignId }),
    ...(campaignRevision !== undefined && { campaignRevision }),
    ...(referrerId !== undefined && { referrerId }),
    ...(reversals.length > 0 && {
      reversals: reversals.map(({ reversedAmount, full, ...step }) => {
        const refund = eventOf(world, step.eventId);
        const place = { occurredAt: refund.occurredAt, receivedAt: refund.receivedAt };
        const { occurredAtSeconds: at } = refund;
        const amounts = { reversedAmount: Number(reversedAmount), full };
        return { ...step, ...place, occurredAtSeconds: at, ...amounts };
      }),
    }),
  };
}
