import type { Static } from '@sinclair/typebox';
import type { TenantSummary } from '@tributary/contracts/admin/tenants';
import type { Tx } from '@tributary/runtime/postgres';

export type TenantRow = Omit<Static<typeof TenantSummary>, 'removedAt'> & {
  removedAt: Date | null;
  version: number;
};

const columns = `tenant_id as "tenantId", name, status, product_id as "productId",
  default_campaign_id as "defaultCampaignId",
  attribution_mode as "attributionMode", legacy_repeat_hours as "legacyRepeatHours",
  events_per_second as "eventsPerSecond", removed_at as "removedAt", version`;

/** Nothing when the id is taken, or a removed tenant had the id or the name. */
export async function insertTenant(tx: Tx, row: TenantRow & { at: Date }): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into tenant
       (tenant_id, name, status, product_id, default_campaign_id, attribution_mode,
        legacy_repeat_hours, version, created_at)
     select $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::integer, $8::integer,
       $9::timestamptz
     where not exists (select 1 from tenant where name = $2::text and removed_at is not null)
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
 * statement: one that waited has seen the state from before its wait. False of a removed tenant, of
 * which nothing changes any more but what its removal itself leaves to do.
 */
export async function lockTenant(
  tx: Tx,
  tenantId: string,
  { evenRemoved = false } = {},
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select 1 from tenant
     where tenant_id = $1 and ($2 or removed_at is null) for no key update`,
    [tenantId, evenRemoved],
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

export async function markTenantRemoved(
  tx: Tx,
  tenantId: string,
  at: Date,
): Promise<TenantRow | undefined> {
  const { rows } = await tx.query<TenantRow>(
    `update tenant set removed_at = $2, version = version + 1
     where tenant_id = $1 and removed_at is null returning ${columns}`,
    [tenantId, at],
  );
  return rows[0];
}

export async function listRemovedTenants(db: Pick<Tx, 'query'>): Promise<string[]> {
  const { rows } = await db.query<{ tenant_id: string }>(
    `select tenant_id from tenant where removed_at is not null order by tenant_id`,
  );
  return rows.map(({ tenant_id }) => tenant_id);
}
