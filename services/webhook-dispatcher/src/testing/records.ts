import { derivedId } from '@tributary/contracts/derived-id';
import { type IssuanceRecord, issuanceSchemaVersion } from '@tributary/contracts/issuance-record';
import type { Incoming } from '@tributary/event-log/projection';
import { issuancesSource } from '../log/apply-records.ts';

/** Ids in records are UUIDs; tests prefer names. */
export function uuidOf(name: string): string {
  return derivedId('webhook-event', name);
}

export function issuance(
  webhookEventId: string,
  changes: Partial<IssuanceRecord> = {},
): IssuanceRecord {
  return {
    schemaVersion: issuanceSchemaVersion,
    type: 'issued',
    issuanceId: uuidOf(`issuance-of-${webhookEventId}`),
    rewardId: uuidOf(`reward-of-${webhookEventId}`),
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

export function incoming(source: string, value: unknown): Incoming {
  return { source, topic: source, partition: 0, offset: 0n, key: '', timestampMs: 0, value };
}
