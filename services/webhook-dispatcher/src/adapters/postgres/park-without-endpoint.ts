import type { Queryable } from './queryable.ts';

/** Puts claims aside whose tenant has no endpoint now; no attempt is used up. */
export async function parkWithoutEndpoint(
  db: Queryable,
  claims: readonly { webhookEventId: string; leaseId: string }[],
): Promise<void> {
  await db.query(
    `update delivery d
     set state = 'no-endpoint', lease_id = null, lease_owner = null, lease_until = null
     from unnest($1::text[], $2::uuid[]) as claim (webhook_event_id, lease_id)
     where d.webhook_event_id = claim.webhook_event_id and d.lease_id = claim.lease_id`,
    [claims.map((c) => c.webhookEventId), claims.map((c) => c.leaseId)],
  );
}

/** Tenants with deliveries that wait for an endpoint. */
export async function tenantsWithoutEndpoint(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ tenant_id: string }>(
    `select distinct tenant_id from delivery where state = 'no-endpoint'`,
  );
  return rows.map((row) => row.tenant_id);
}

/** The endpoint has appeared: what waited for it is due at once. */
export async function reviveDeliveries(
  db: Queryable,
  tenantIds: readonly string[],
): Promise<number> {
  const { rowCount } = await db.query(
    `update delivery set state = 'pending', due_at = now()
     where state = 'no-endpoint' and tenant_id = any($1::text[])`,
    [tenantIds],
  );
  return rowCount ?? 0;
}
