import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { CampaignKey } from '@tributary/rewards-fold/look-back';

export type RevisionName = { tenantId: string; campaignId: string; revision: number };

/** The first publication of a revision stands; a revision is never edited. */
export async function insertRevisions(
  tx: Tx,
  revisions: readonly CampaignRevisionRecord[],
): Promise<void> {
  await tx.query({
    name: 'insert_revisions',
    text: `insert into campaign_revision (tenant_id, campaign_id, revision, record)
           select tenant_id, campaign_id, revision, record
           from unnest($1::text[], $2::text[], $3::int[], $4::json[])
             as published (tenant_id, campaign_id, revision, record)
           order by tenant_id, campaign_id, revision
           on conflict do nothing`,
    values: columnsOf(revisions, 'tenantId', 'campaignId', 'revision', (r) => JSON.stringify(r)),
  });
}

export async function readRevisions(
  tx: Tx,
  names: readonly RevisionName[],
): Promise<CampaignRevisionRecord[]> {
  const { rows } = await tx.query<{ record: CampaignRevisionRecord }>({
    name: 'read_revisions',
    text: `select record
           from unnest($1::text[], $2::text[], $3::int[]) as named (tenant_id, campaign_id, revision)
           join campaign_revision using (tenant_id, campaign_id, revision)`,
    values: columnsOf(names, 'tenantId', 'campaignId', 'revision'),
  });
  return rows.map((row) => row.record);
}

/** All revisions of these campaigns that have arrived, by name. */
export async function readRevisionNames(
  tx: Tx,
  campaigns: readonly CampaignKey[],
): Promise<RevisionName[]> {
  const { rows } = await tx.query<{ tenant_id: string; campaign_id: string; revision: number }>({
    name: 'read_revision_names',
    text: `select tenant_id, campaign_id, revision
           from unnest($1::text[], $2::text[]) as asked (tenant_id, campaign_id)
           join campaign_revision using (tenant_id, campaign_id)
           order by tenant_id, campaign_id, revision`,
    values: [campaigns.map((c) => c.tenantId), campaigns.map((c) => c.campaignId)],
  });
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    campaignId: row.campaign_id,
    revision: row.revision,
  }));
}
