import { type CampaignRevisionRecord, catalogSchemaVersion } from '../catalog-record.ts';

/** The first revision of a campaign, in force since long. */
export function runningCampaign(
  tenantId: string,
  campaignId: string,
  changes: Partial<CampaignRevisionRecord> = {},
): CampaignRevisionRecord {
  return {
    schemaVersion: catalogSchemaVersion,
    tenantId,
    version: 1,
    publishedAt: '2026-01-01T00:00:00.000Z',
    entity: 'campaign-revision',
    campaignId,
    revision: 1,
    name: campaignId,
    status: 'running',
    effectiveFrom: '2026-01-01T00:00:00.000Z',
    landingUrl: `https://${campaignId}.example/join`,
    creditScale: 0,
    rules: [],
    ...changes,
  };
}
