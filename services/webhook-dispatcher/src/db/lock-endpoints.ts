import type { Tx } from '@tributary/runtime/postgres';

/**
 * Locks in everyone's order the endpoints that a transaction writes in several steps: `put` are
 * there afterwards, of `touched` those that were there.
 */
export async function lockEndpoints(
  tx: Tx,
  { put, touched }: { put: readonly string[]; touched: readonly string[] },
): Promise<void> {
  if (put.length + touched.length === 0) return;
  await tx.query(
    `insert into endpoint (tenant_id)
     select tenant_id from (
       select unnest($1::text[]) as tenant_id
       union select tenant_id from endpoint where tenant_id = any($2::text[])
     ) as named
     order by tenant_id collate "C"
     on conflict (tenant_id) do update set next_at = endpoint.next_at where false`,
    [put, touched],
  );
}
