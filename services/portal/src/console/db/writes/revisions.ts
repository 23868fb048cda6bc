import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { oneOfEach } from '@tributary/event-log/newest-of';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { Recorded } from './recorded.ts';

/** Campaign revisions never change. */
export async function writeRevisions(
  tx: Tx,
  records: readonly Recorded<CampaignRevisionRecord>[],
): Promise<void> {
  if (records.length === 0) return;
  const recorded = oneOfEach(records, ({ record: { tenantId, campaignId, revision } }) =>
    JSON.stringify([tenantId, campaignId, revision]),
  );
  const revisions = recorded.map(({ record }) => record);
  await tx.query({
    name: 'write_revisions',
    text: `insert into campaign_revision
             (tenant_id, campaign_id, revision, record, recorded_at)
           select tenant_id, campaign_id, revision, record, recorded_at
           from unnest($1::text[], $2::text[], $3::int[], $4::json[], $5::bigint[])
             as next (tenant_id, campaign_id, revision, record, recorded_at)
           order by tenant_id collate "C", campaign_id collate "C", revision
           on conflict (tenant_id, campaign_id, revision) do nothing`,
    values: [
      ...columnsOf(revisions, 'tenantId', 'campaignId', 'revision', (record) =>
        JSON.stringify(record),
      ),
      recorded.map(({ recordedAt }) => recordedAt),
    ],
  });
}
