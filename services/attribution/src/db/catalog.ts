import { effectiveFromSeconds } from '@tributary/contracts/revision-in-force';
import { recordKey } from '@tributary/contracts/topics';
import type { Tx } from '@tributary/runtime/postgres';
import type { Modes } from '@tributary/attribution-fold/attribution-mode';
import {
  type Revision,
  type RevisionSettings,
  settingsOf,
} from '@tributary/attribution-fold/revision';

export type CampaignKey = { tenantId: string; campaignId: string };
export type CampaignRevision = CampaignKey & Revision;

/** Stores what is new and says which revisions that were. */
export async function insertRevisions(
  tx: Tx,
  revisions: readonly CampaignRevision[],
): Promise<CampaignRevision[]> {
  const { rows } = await tx.query<RevisionRow>({
    name: 'insert_revisions',
    text: `insert into campaign_revision
             (tenant_id, campaign_id, revision, status, effective_from, effective_from_seconds,
              settings)
           select * from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[],
             $7::json[])
           on conflict (tenant_id, campaign_id, revision) do nothing
           returning tenant_id, campaign_id, revision, status, effective_from,
             effective_from_seconds, settings`,
    values: [
      revisions.map((r) => r.tenantId),
      revisions.map((r) => r.campaignId),
      revisions.map((r) => r.revision),
      revisions.map((r) => r.status),
      revisions.map((r) => r.effectiveFrom),
      revisions.map((r) => r.effectiveFromSeconds),
      revisions.map((r) => JSON.stringify(settingsOf(r))),
    ],
  });
  return rows.map(fromRow);
}

/** The revisions of these campaigns by `recordKey(tenantId, campaignId)`. */
export async function readRevisions(
  tx: Tx,
  campaigns: readonly CampaignKey[],
): Promise<Map<string, CampaignRevision[]>> {
  const { rows } = await tx.query<RevisionRow>({
    name: 'read_revisions',
    text: `select r.tenant_id, r.campaign_id, r.revision, r.status, r.effective_from,
             r.effective_from_seconds, r.settings
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, campaign_id)
           join campaign_revision r using (tenant_id, campaign_id)`,
    values: [campaigns.map((c) => c.tenantId), campaigns.map((c) => c.campaignId)],
  });
  return Map.groupBy(rows.map(fromRow), (r) => recordKey(r.tenantId, r.campaignId));
}

/** Under the tenants' exclusive locks; the next version of each by tenant. */
export async function raiseCatalogVersions(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await tx.query<VersionRow>({
    name: 'raise_catalog_versions',
    text: `insert into tenant (tenant_id, catalog_version)
           select tenant_id, 1 from unnest($1::text[]) as wanted (tenant_id)
           order by tenant_id collate "C"
           on conflict (tenant_id) do update set catalog_version = tenant.catalog_version + 1
           returning tenant_id, catalog_version`,
    values: [tenantIds],
  });
  return new Map(rows.map((row) => [row.tenant_id, row.catalog_version]));
}

/** What a tenant's catalog says besides its revisions. */
export type TenantCatalog = { version: string; modes: Modes };

/** A tenant of which nothing has come has no entry; its version is 0. */
export async function readTenants(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<Map<string, TenantCatalog>> {
  const { rows } = await tx.query<VersionRow & { modes: Modes | null }>({
    name: 'read_tenants',
    text: `select tenant_id, catalog_version, modes from tenant where tenant_id = any($1)`,
    values: [tenantIds],
  });
  return new Map(
    rows.map((row) => [row.tenant_id, { version: row.catalog_version, modes: row.modes ?? [] }]),
  );
}

/** Under the tenants' exclusive locks. */
export async function writeModes(
  tx: Tx,
  tenants: readonly { tenantId: string; modes: Modes }[],
): Promise<void> {
  await tx.query({
    name: 'write_modes',
    text: `insert into tenant (tenant_id, catalog_version, modes)
           select tenant_id, 0, modes from unnest($1::text[], $2::json[]) as next (tenant_id, modes)
           order by tenant_id collate "C"
           on conflict (tenant_id) do update set modes = excluded.modes`,
    values: [tenants.map((t) => t.tenantId), tenants.map((t) => JSON.stringify(t.modes))],
  });
}

type VersionRow = { tenant_id: string; catalog_version: string };

type RevisionRow = {
  tenant_id: string;
  campaign_id: string;
  revision: number;
  status: Revision['status'];
  effective_from: string;
  effective_from_seconds: string;
  /** Null: stored before there were any. */
  settings: RevisionSettings | null;
};

function fromRow(row: RevisionRow): CampaignRevision {
  return {
    tenantId: row.tenant_id,
    campaignId: row.campaign_id,
    revision: row.revision,
    status: row.status,
    effectiveFrom: row.effective_from,
    // From the text: what `always` stands for has changed since rows were first written.
    effectiveFromSeconds: effectiveFromSeconds(row.effective_from) ?? row.effective_from_seconds,
    ...row.settings,
  };
}
