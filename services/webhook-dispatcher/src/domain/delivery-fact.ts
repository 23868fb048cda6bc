import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import type { Judgement } from './outcome.ts';

/** The fact of one attempt, as it goes to the deliveries topic. */
export function deliveryFact(
  attempt: {
    tenantId: string;
    webhookEventId: string;
    issuanceId: string;
    attempt: number;
    judgement: Judgement;
    startedAt: Date;
    durationMs: number;
  },
  after: { state: 'pending' | 'delivered' | 'exhausted'; dueAt: Date },
): DeliveryRecord {
  const { judgement, startedAt, ...identity } = attempt;
  return {
    schemaVersion: 1,
    tenantId: identity.tenantId,
    webhookEventId: identity.webhookEventId,
    issuanceId: identity.issuanceId,
    attempt: identity.attempt,
    outcome: after.state === 'pending' ? 'failed' : after.state,
    result: judgement.result,
    ...(judgement.statusCode !== undefined && { statusCode: judgement.statusCode }),
    startedAt: startedAt.toISOString(),
    durationMs: identity.durationMs,
    ...(after.state === 'pending' && { nextAttemptAt: after.dueAt.toISOString() }),
  };
}
