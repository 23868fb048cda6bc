import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import type { IssuanceFact, IssuanceRecord } from '@tributary/contracts/issuance-record';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';
import { latestOutcomes } from '../../domain/known-outcome.ts';
import { buildWebhookBody } from '../../domain/payload.ts';
import { insertAttempts } from '../postgres/insert-attempts.ts';
import { insertDeliveries, type NewDelivery } from '../postgres/insert-deliveries.ts';
import { restoreOutcomes } from '../postgres/restore-outcomes.ts';

/**
 * The two topics that make the delivery table, in any order and any number of times: issuances say
 * what to send, our own deliveries say what has been sent already.
 */
export const issuancesSource = 'issuances';
export const deliveriesSource = 'deliveries';

export async function applyRecords(tx: Tx, batch: readonly Incoming[]): Promise<void> {
  const records = batch.filter((record) => record.value !== null);
  if (records.length === 0) return;
  switch (batch[0]?.source) {
    case issuancesSource: {
      const issued = (records as Incoming<IssuanceFact>[]).filter(isIssued);
      if (issued.length === 0) return;
      return insertDeliveries(tx, issued.map(toDelivery));
    }
    case deliveriesSource: {
      const facts = records.map((record) => record.value as DeliveryRecord);
      await restoreOutcomes(tx, latestOutcomes(facts));
      return insertAttempts(tx, facts);
    }
    default:
      throw new Error(`no such source: ${batch[0]?.source}`);
  }
}

/** What an operator released or withheld is nothing to send. */
function isIssued(record: Incoming<IssuanceFact>): record is Incoming<IssuanceRecord> {
  return record.value?.type === 'issued';
}

function toDelivery({ value, timestampMs }: Incoming<IssuanceRecord>): NewDelivery {
  const issuance = value!;
  const parsed = new Date(issuance.issuedAt);
  // Both are facts of the log, so a rebuilt row has the same bytes.
  const issuedAt = Number.isNaN(parsed.getTime()) ? new Date(timestampMs) : parsed;
  return {
    webhookEventId: issuance.webhookEventId,
    tenantId: issuance.tenantId,
    issuanceId: issuance.issuanceId,
    rewardId: issuance.rewardId,
    body: buildWebhookBody(issuance, issuedAt),
    issuedAt,
  };
}
