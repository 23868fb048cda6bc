import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import { notifyDue } from './notify-due.ts';

export type TenantStatus = {
  tenantId: string;
  version: number;
  suspended: boolean;
  /** The first record since which it has this status, of those that were read now. */
  since: Date;
  /** Among these were earlier ones that say that it was suspended. */
  wasSuspended: boolean;
};

/** Nothing of these tenants is claimed, and none of their horizons runs out. For `endpoint e`. */
export const isSuspended = (endpoint: string) =>
  `exists (select 1 from tenant t where t.tenant_id = ${endpoint}.tenant_id and t.suspended)`;

/**
 * Takes up what the catalog says of tenants; only a higher version than the known one. What waits
 * for one that is resumed is looked at now, and its horizon begins anew with the record of that.
 *
 * @param tenants at most one record per tenant.
 */
export async function putTenants(tx: Tx, tenants: readonly TenantStatus[]): Promise<void> {
  const { rows } = await tx.query<{ tenantId: string; suspended: boolean }>(
    `with put as (
       select * from unnest($1::text[], $2::int[], $3::boolean[], $4::timestamptz[], $5::boolean[])
         as put (tenant_id, version, suspended, since, was_suspended)
     )
     insert into tenant as known (tenant_id, version, suspended, resumed_at)
     select tenant_id, version, suspended, case when was_suspended and not suspended then since end
     from put order by tenant_id collate "C"
     on conflict (tenant_id) do update
       set version = excluded.version, suspended = excluded.suspended,
         resumed_at = case
           when known.suspended and not excluded.suspended
             then (select since from put where put.tenant_id = known.tenant_id)
           else coalesce(excluded.resumed_at, known.resumed_at)
         end
       where known.version < excluded.version
     returning tenant_id as "tenantId", suspended`,
    columnsOf(tenants, 'tenantId', 'version', 'suspended', 'since', 'wasSuspended'),
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
