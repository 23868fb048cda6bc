import type { CampaignRule } from '@tributary/contracts/catalog-record';
import type { Tx } from '@tributary/runtime/postgres';
import type { CampaignRevision } from '../../domain/campaign-draft.ts';

type Row = Omit<CampaignRevision, 'rules'> & { rules: CampaignRule[] };

const columns = `campaign_id as "campaignId", revision, name, status,
  effective_from as "effectiveFrom", landing_url as "landingUrl",
  credit_scale as "creditScale", rules`;

export async function insertCampaignRevision(
  tx: Tx,
  tenantId: string,
  revision: CampaignRevision,
  at: Date,
): Promise<void> {
  await tx.query(
    `insert into campaign_revision
       (tenant_id, campaign_id, revision, name, status, effective_from, landing_url,
        credit_scale, rules, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      tenantId,
      revision.campaignId,
      revision.revision,
      revision.name,
      revision.status,
      revision.effectiveFrom,
      revision.landingUrl,
      revision.creditScale,
      JSON.stringify(revision.rules),
      at,
    ],
  );
}

export async function readNewestRevision(
  tx: Tx,
  tenantId: string,
  campaignId: string,
): Promise<CampaignRevision | undefined> {
  const { rows } = await tx.query<Row>(
    `select ${columns} from campaign_revision
     where tenant_id = $1 and campaign_id = $2 order by revision desc limit 1`,
    [tenantId, campaignId],
  );
  return rows[0];
}

/** The newest revision of each campaign. */
export async function listNewestRevisions(tx: Tx, tenantId: string): Promise<CampaignRevision[]> {
  const { rows } = await tx.query<Row>(
    `select distinct on (campaign_id) ${columns} from campaign_revision
     where tenant_id = $1 order by campaign_id, revision desc`,
    [tenantId],
  );
  return rows;
}
