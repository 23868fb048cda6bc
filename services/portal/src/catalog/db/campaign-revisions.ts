import type { Tx } from '@tributary/runtime/postgres';
import {
  type CampaignRevision,
  type CampaignSettings,
  type RevisionStart,
  settingsOf,
} from '../domain/campaign-draft.ts';

/** `previewId`: of a revision that was committed from a preview. */
export type StoredRevision = CampaignRevision & { publishedAt: Date; previewId?: string };
type Row = Omit<StoredRevision, keyof CampaignSettings | 'previewId'> & {
  settings: CampaignSettings;
  previewId: string | null;
};

const columns = `campaign_id as "campaignId", revision, name, status,
  effective_from as "effectiveFrom", landing_url as "landingUrl",
  credit_scale as "creditScale", rules, settings, created_at as "publishedAt",
  preview_id as "previewId"`;

export async function insertCampaignRevision(
  tx: Tx,
  tenantId: string,
  revision: CampaignRevision & { previewId?: string },
  at: Date,
): Promise<void> {
  await tx.query(
    `insert into campaign_revision
       (tenant_id, campaign_id, revision, name, status, effective_from, landing_url,
        credit_scale, rules, settings, created_at, preview_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
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
      JSON.stringify(settingsOf(revision)),
      at,
      revision.previewId ?? null,
    ],
  );
}

export async function readNewestRevision(
  tx: Tx,
  tenantId: string,
  campaignId: string,
): Promise<StoredRevision | undefined> {
  const { rows } = await tx.query<Row>(
    `select ${columns} from campaign_revision
     where tenant_id = $1 and campaign_id = $2 order by revision desc limit 1`,
    [tenantId, campaignId],
  );
  return rows.map(fromRow)[0];
}

/** The first revision, of whatever number, to take effect after a time; its text sorts as it is. */
export async function readNextStart(
  tx: Tx,
  tenantId: string,
  campaignId: string,
  after: string,
): Promise<RevisionStart | undefined> {
  const { rows } = await tx.query<RevisionStart>(
    `select revision, effective_from as "effectiveFrom" from campaign_revision
     where tenant_id = $1 and campaign_id = $2 and effective_from collate "C" > $3
     order by effective_from collate "C", revision desc limit 1`,
    [tenantId, campaignId, after],
  );
  return rows[0];
}

export async function readRevision(
  tx: Tx,
  tenantId: string,
  campaignId: string,
  revision: number,
): Promise<StoredRevision | undefined> {
  const { rows } = await tx.query<Row>(
    `select ${columns} from campaign_revision
     where tenant_id = $1 and campaign_id = $2 and revision = $3`,
    [tenantId, campaignId, revision],
  );
  return rows.map(fromRow)[0];
}

/** Every revision of a campaign, the newest first. */
export async function listRevisions(
  tx: Tx,
  tenantId: string,
  campaignId: string,
): Promise<StoredRevision[]> {
  const { rows } = await tx.query<Row>(
    `select ${columns} from campaign_revision
     where tenant_id = $1 and campaign_id = $2 order by revision desc`,
    [tenantId, campaignId],
  );
  return rows.map(fromRow);
}

/** The newest revision of each campaign. */
export async function listNewestRevisions(tx: Tx, tenantId: string): Promise<StoredRevision[]> {
  const { rows } = await tx.query<Row>(
    `select distinct on (campaign_id) ${columns} from campaign_revision
     where tenant_id = $1 order by campaign_id, revision desc`,
    [tenantId],
  );
  return rows.map(fromRow);
}

function fromRow({ settings, previewId, ...row }: Row): StoredRevision {
  return { ...row, ...settings, ...(previewId !== null && { previewId }) };
}
