import { type DeliveryRecord, deliverySchemaVersion } from '@tributary/contracts/delivery-record';
import type { Evaluation } from './outcome.ts';

/** What an attempt left behind: the state of its delivery, and when it is due again. */
export type AttemptEnd = {
  state: 'pending' | 'delivered' | 'exhausted';
  step: number;
  /** Only of a pending one. */
  dueAt?: Date;
};

/** The fact of one attempt, as it goes to the deliveries topic. */
export function deliveryFact(
  claim: {
    tenantId: string;
    webhookEventId: string;
    issuanceId: string;
    round: number;
    attempt: number;
  },
  made: { evaluation: Evaluation; startedAt: Date; durationMs: number },
  end: AttemptEnd,
): DeliveryRecord {
  const { evaluation, startedAt, durationMs } = made;
  return {
    schemaVersion: deliverySchemaVersion,
    type: 'attempted',
    tenantId: claim.tenantId,
    webhookEventId: claim.webhookEventId,
    issuanceId: claim.issuanceId,
    round: claim.round,
    attempt: claim.attempt,
    step: end.step,
    outcome: end.state === 'pending' ? 'failed' : end.state,
    result: evaluation.result,
    ...(evaluation.statusCode !== undefined && { statusCode: evaluation.statusCode }),
    startedAt: startedAt.toISOString(),
    durationMs,
    ...(end.dueAt !== undefined && { nextAttemptAt: end.dueAt.toISOString() }),
  };
}
