import type { AttributionMode } from '@tributary/contracts/catalog-record';
import type { Tx } from '@tributary/runtime/postgres';

export type TenantRow = {
  tenantId: string;
  name: string;
  status: 'active' | 'disabled';
  productId: string;
  defaultCampaignId: string | null;
  attributionMode: AttributionMode;
  legacyRepeatHours: number;
  version: number;
};

const columns = `tenant_id as "tenantId", name, status, product_id as "productId",
  default_campaign_id as "defaultCampaignId",
  attribution_mode as "attributionMode", legacy_repeat_hours as "legacyRepeatHours", version`;

/** Nothing when the id is taken. */
export async function insertTenant(tx: Tx, row: TenantRow & { at: Date }): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into tenant
       (tenant_id, name, status, product_id, default_campaign_id, attribution_mode,
        legacy_repeat_hours, version, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (tenant_id) do nothing`,
    [
      row.tenantId,
      row.name,
      row.status,
      row.productId,
      row.defaultCampaignId,
      row.attributionMode,
      row.legacyRepeatHours,
      row.version,
      row.at,
    ],
  );
  return rowCount === 1;
}

/**
 * Waits for every other change of the tenant's catalog. Read what depends on it in the next
 * statement: one that waited has seen the state from before its wait.
 */
export async function lockTenant(tx: Tx, tenantId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select 1 from tenant where tenant_id = $1 for no key update`,
    [tenantId],
  );
  return rowCount === 1;
}

export async function readTenant(tx: Tx, tenantId: string): Promise<TenantRow | undefined> {
  const { rows } = await tx.query<TenantRow>(`select ${columns} from tenant where tenant_id = $1`, [
    tenantId,
  ]);
  return rows[0];
}

export async function listTenants(tx: Tx): Promise<TenantRow[]> {
  const { rows } = await tx.query<TenantRow>(
    `select ${columns} from tenant order by created_at, tenant_id`,
  );
  return rows;
}

export async function updateDefaultCampaign(
  tx: Tx,
  tenantId: string,
  campaignId: string,
): Promise<TenantRow | undefined> {
  const { rows } = await tx.query<TenantRow>(
    `update tenant set default_campaign_id = $2, version = version + 1
     where tenant_id = $1 returning ${columns}`,
    [tenantId, campaignId],
  );
  return rows[0];
}

export async function updateAttributionMode(
  tx: Tx,
  tenantId: string,
  mode: AttributionMode,
): Promise<TenantRow | undefined> {
  const { rows } = await tx.query<TenantRow>(
    `update tenant set attribution_mode = $2, version = version + 1
     where tenant_id = $1 returning ${columns}`,
    [tenantId, mode],
  );
  return rows[0];
}

export async function updateLegacyRepeatHours(
  tx: Tx,
  tenantId: string,
  hours: number,
): Promise<TenantRow | undefined> {
  const { rows } = await tx.query<TenantRow>(
    `update tenant set legacy_repeat_hours = $2, version = version + 1
     where tenant_id = $1 returning ${columns}`,
    [tenantId, hours],
  );
  return rows[0];
}
