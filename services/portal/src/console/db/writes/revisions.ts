import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { oneOfEach } from '@tributary/event-log/newest-of';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';

/** Campaign revisions never change. */
export async function writeRevisions(
  tx: Tx,
  records: readonly CampaignRevisionRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const revisions = oneOfEach(records, ({ tenantId, campaignId, revision }) =>
    JSON.stringify([tenantId, campaignId, revision]),
  );
  await tx.query({
    name: 'write_revisions',
    text: `insert into campaign_revision (tenant_id, campaign_id, revision, record)
           select tenant_id, campaign_id, revision, record
           from unnest($1::text[], $2::text[], $3::int[], $4::json[])
             as next (tenant_id, campaign_id, revision, record)
           order by tenant_id collate "C", campaign_id collate "C", revision
           on conflict (tenant_id, campaign_id, revision) do nothing`,
    values: columnsOf(revisions, 'tenantId', 'campaignId', 'revision', (record) =>
      JSON.stringify(record),
    ),
  });
}
