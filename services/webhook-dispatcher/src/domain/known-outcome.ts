import type { DeliveryRecord } from '@tributary/contracts/delivery-record';

/** What the deliveries topic says about one delivery: its latest attempt and where that left it. */
export type KnownOutcome = {
  webhookEventId: string;
  tenantId: string;
  issuanceId: string;
  state: 'pending' | 'delivered' | 'exhausted';
  attempts: number;
  /** When the next attempt was planned for; null once there is none. */
  dueAt: string | null;
};

/**
 * Folds records of several deliveries into one outcome each. `delivered` is final whatever else is
 * said, even of the same attempt (two processes may both have made it); else the highest attempt.
 */
export function latestOutcomes(records: readonly DeliveryRecord[]): KnownOutcome[] {
  const latest = new Map<string, KnownOutcome>();
  for (const record of records) {
    const outcome = toOutcome(record);
    const known = latest.get(record.webhookEventId);
    if (!known || supersedes(outcome, known)) latest.set(record.webhookEventId, outcome);
  }
  return [...latest.values()];
}

function supersedes(a: KnownOutcome, b: KnownOutcome): boolean {
  if (b.state === 'delivered') return false;
  return a.state === 'delivered' || a.attempts > b.attempts;
}

function toOutcome(record: DeliveryRecord): KnownOutcome {
  return {
    webhookEventId: record.webhookEventId,
    tenantId: record.tenantId,
    issuanceId: record.issuanceId,
    state: record.outcome === 'failed' ? 'pending' : record.outcome,
    attempts: record.attempt,
    dueAt: record.nextAttemptAt ?? null,
  };
}
