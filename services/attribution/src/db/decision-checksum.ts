import { crc32 } from 'node:zlib';
import type { DecisionRecord } from '@tributary/contracts/decision-record';

/**
 * Covers the columns that decisions are found by, so that a verification notices when one of them
 * was changed by hand. It is a number that Postgres' `integer` holds.
 */
export function checksumOf(row: {
  tenantId: string;
  eventId: string;
  version: number;
  outcome: DecisionRecord['outcome'];
  campaignId: string | null;
  digest: string;
}): number {
  const { tenantId, eventId, version, outcome, campaignId, digest } = row;
  return crc32(JSON.stringify([tenantId, eventId, version, outcome, campaignId, digest])) | 0;
}
