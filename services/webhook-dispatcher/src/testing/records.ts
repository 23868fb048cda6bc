import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import type { IssuanceRecord } from '@tributary/contracts/issuance-record';
import type { Incoming } from '@tributary/event-log/projection';
import { deliveriesSource, issuancesSource } from '../adapters/log/apply-records.ts';

export function issuance(
  webhookEventId: string,
  changes: Partial<IssuanceRecord> = {},
): IssuanceRecord {
  return {
    schemaVersion: 1,
    type: 'issued',
    issuanceId: `issuance-of-${webhookEventId}`,
    rewardId: `reward-of-${webhookEventId}`,
    tenantId: 't1',
    campaignId: 'c1',
    recipientId: 'referrer-1',
    rewardType: 'credits',
    credits: '10',
    issuedAt: new Date().toISOString(),
    webhookEventId,
    ...changes,
  };
}

/** As the projection hands records to `applyRecords`. */
export function incomingIssuances(...records: IssuanceRecord[]): Incoming[] {
  return records.map((value) => incoming(issuancesSource, value));
}

export function incomingDeliveries(...records: DeliveryRecord[]): Incoming[] {
  return records.map((value) => incoming(deliveriesSource, value));
}

function incoming(source: string, value: unknown): Incoming {
  return { source, topic: source, partition: 0, offset: 0n, key: '', timestampMs: 0, value };
}
