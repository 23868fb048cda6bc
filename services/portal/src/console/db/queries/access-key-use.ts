import type { Queryable } from './queryable.ts';

/** The last day, in UTC, on which an event was accepted with each access key of a tenant. */
export async function lastUsesOfAccessKeys(
  db: Queryable,
  tenantId: string,
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ accessKeyId: string; day: string }>(
    `select access_key_id as "accessKeyId", max(day)::text as day from access_key_use
     where tenant_id = $1 group by access_key_id`,
    [tenantId],
  );
  return new Map(rows.map(({ accessKeyId, day }) => [accessKeyId, day]));
}
