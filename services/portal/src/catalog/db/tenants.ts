import type { Static } from '@sinclair/typebox';
import type { TenantSummary } from '@tributary/contracts/admin/tenants';
import type { Tx } from '@tributary/runtime/postgres';

export type TenantRow = Static<typeof TenantSummary> & { version: number };

const columns = `tenant_id as "tenantId", name, status, product_id as "productId",
  default_campaign_id as "defaultCampaignId",
  attribution_mode as "attributionMode", legacy_repeat_hours as "legacyRepeatHours",
  events_per_second as "eventsPerSecond", version`;

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

/** Settings of a tenant that are changed one at a time. */
const settings = {
  defaultCampaignId: 'default_campaign_id',
  attributionMode: 'attribution_mode',
  legacyRepeatHours: 'legacy_repeat_hours',
  eventsPerSecond: 'events_per_second',
  status: 'status',
} as const;

export async function updateTenant<S extends keyof typeof settings>(
  tx: Tx,
  tenantId: string,
  setting: S,
  value: TenantRow[S],
): Promise<TenantRow | undefined> {
  const { rows } = await tx.query<TenantRow>(
    `update tenant set ${settings[setting]} = $2, version = version + 1
     where tenant_id = $1 returning ${columns}`,
    [tenantId, value],
  );
  return rows[0];
}
