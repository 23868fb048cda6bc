import type { Tx } from '@tributary/runtime/postgres';
import { timeKeyDaysAgo } from './time-key-days-ago.ts';

/** Deletes some refused requests that are older than so many days; says how many. */
export async function pruneOldRequests(
  tx: Tx,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const { rows } = await tx.query<{ deleted: number }>({
    name: 'prune_old_requests',
    text: `with old as (
             delete from refused_request where request_id in (
               select request_id from refused_request where at < ${timeKeyDaysAgo('$1')}
               order by at limit $2 for update skip locked)
             returning 1
           ), old_counts as (
             delete from omitted_requests where at < ${timeKeyDaysAgo('$1')}
           )
           select count(*)::int as deleted from old`,
    values: [days, limit],
  });
  return rows[0]?.deleted ?? 0;
}

/**
 * Deletes some of what a tenant has beyond its `most` newest; says how many. Tenants are found by
 * steps through the index, and so is the place where the newest end.
 */
export async function pruneManyRequests(
  tx: Tx,
  { most, limit }: { most: number; limit: number },
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'prune_many_requests',
    text: `with recursive tenant (tenant_id) as (
             (select tenant_id from refused_request order by tenant_id limit 1)
             union all
             select (select min(tenant_id) from refused_request as next
               where next.tenant_id > tenant.tenant_id)
             from tenant where tenant.tenant_id is not null
           ), last (tenant_id, at) as (
             select tenant_id, (select at from refused_request as own
               where own.tenant_id = tenant.tenant_id order by at desc offset $1 - 1 limit 1)
             from tenant
           )
           delete from refused_request where request_id in (
             select request_id from refused_request join last using (tenant_id)
             where refused_request.at < last.at
             limit $2 for update of refused_request skip locked)`,
    values: [most, limit],
  });
  return rowCount ?? 0;
}
