import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import { notifyDue } from './notify-due.ts';

export type TenantStatus = { tenantId: string; version: number; suspended: boolean };

/** Nothing of these tenants is claimed, and none of their horizons runs out. For `endpoint e`. */
export const isSuspended = (endpoint: string) =>
  `exists (select 1 from tenant t where t.tenant_id = ${endpoint}.tenant_id and t.suspended)`;

/**
 * Takes up what the catalog says of tenants; only a higher version than the known one. What waits
 * for one that is resumed is looked at now.
 *
 * @param tenants at most one record per tenant.
 */
export async function putTenants(tx: Tx, tenants: readonly TenantStatus[]): Promise<void> {
  const { rows } = await tx.query<{ tenantId: string; suspended: boolean }>(
    `insert into tenant as known (tenant_id, version, suspended)
     select * from unnest($1::text[], $2::int[], $3::boolean[]) as put (tenant_id, version, suspended)
     order by tenant_id collate "C"
     on conflict (tenant_id) do update
       set version = excluded.version, suspended = excluded.suspended
       where known.version < excluded.version
     returning tenant_id as "tenantId", suspended`,
    columnsOf(tenants, 'tenantId', 'version', 'suspended'),
  );
  const sending = rows.filter(({ suspended }) => !suspended).map(({ tenantId }) => tenantId);
  if (sending.length === 0) return;
  const { rowCount } = await tx.query(
    `update endpoint set next_at = least(next_at, now())
     where tenant_id in
       (select tenant_id from endpoint where tenant_id = any($1::text[])
        order by tenant_id collate "C" for no key update)`,
    [sending],
  );
  if ((rowCount ?? 0) > 0) await notifyDue(tx);
}
