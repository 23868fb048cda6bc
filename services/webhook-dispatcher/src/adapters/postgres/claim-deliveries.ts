import type { Tx } from '@tributary/runtime/postgres';

export type Claim = {
  webhookEventId: string;
  tenantId: string;
  issuanceId: string;
  body: Buffer;
  issuedAt: Date;
  /** The attempt to be made, 1, 2, …. */
  attempt: number;
  leaseId: string;
};

/** One claim at a time, of all processes: else two would each fill a tenant's room (read committed). */
export async function lockClaims(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext(current_schema() || '/claim'))`);
}

/**
 * Leases up to `limit` due deliveries, at most `perTenant` of one tenant in flight over all
 * processes; whoever has least in flight comes first, so tenants whose endpoints hang cannot take
 * every slot that frees; first tries before retries. Times are the database's. To be called under
 * {@link lockClaims}, in a statement after it. It may find less than there is (a tenant's
 * share is not passed on); the caller asks again as long as it finds anything.
 *
 * Tenants with waiting rows are found by walking the index from one tenant to the next, so a
 * tenant with a long queue costs no more than one with a single row; when nothing is due at all,
 * one look tells.
 */
export async function claimDeliveries(
  tx: Tx,
  options: {
    leaseId: string;
    owner: string;
    leaseMs: number;
    limit: number;
    perTenant: number;
  },
): Promise<Claim[]> {
  const { leaseId, owner, leaseMs, limit, perTenant } = options;
  const { rows } = await tx.query<{
    webhook_event_id: string;
    tenant_id: string;
    issuance_id: string;
    body: Buffer;
    issued_at: Date;
    attempts: number;
  }>({
    name: 'claim_deliveries',
    text: claimStatement,
    values: [leaseId, owner, leaseMs, limit, perTenant],
  });
  return rows.map((row) => ({
    webhookEventId: row.webhook_event_id,
    tenantId: row.tenant_id,
    issuanceId: row.issuance_id,
    body: row.body,
    issuedAt: row.issued_at,
    attempt: row.attempts + 1,
    leaseId,
  }));
}

const waiting = `state = 'pending' and body is not null and lease_id is null`;

const dueOf = (retry: boolean) =>
  `select webhook_event_id, retry, due_at from delivery
   where ${waiting} and tenant_id = tenant.tenant_id and retry = ${retry} and due_at <= now()`;

const claimStatement = `
  with recursive tenant (tenant_id) as (
    (
      select tenant_id from delivery
      where ${waiting} and exists (
        select 1 from delivery where ${waiting} and due_at <= now()
      )
      order by tenant_id limit 1
    )
    union all
    select (
      select tenant_id from delivery
      where ${waiting} and tenant_id > tenant.tenant_id
      order by tenant_id limit 1
    )
    from tenant where tenant.tenant_id is not null
  ),
  tenant_room as materialized (
    select tenant.tenant_id, $5::int - (
      select count(*)::int from delivery
      where lease_id is not null and tenant_id = tenant.tenant_id and lease_until > now()
    ) as free
    from tenant
    where tenant.tenant_id is not null and (exists (${dueOf(false)}) or exists (${dueOf(true)}))
  ),
  room as materialized (
    select tenant_id, $5::int - free as in_flight,
      least(free, ceil($4::int::float8 / count(*) over ()))::int as share
    from tenant_room where free > 0
  ),
  candidate as (
    select due.webhook_event_id, due.retry, due.due_at,
      row_number() over (partition by tenant.tenant_id order by due.retry, due.due_at) as nth,
      tenant.in_flight, tenant.share
    from room as tenant
    cross join lateral (
      (${dueOf(false)} order by due_at limit tenant.share)
      union all
      (${dueOf(true)} order by due_at limit tenant.share)
    ) as due
  ),
  chosen as (
    select webhook_event_id from candidate
    where nth <= share order by in_flight + nth, retry, due_at limit $4
  ),
  locked as (
    select webhook_event_id from delivery
    where webhook_event_id in (select webhook_event_id from chosen) and ${waiting}
    order by webhook_event_id
    for update skip locked
  )
  update delivery
  set lease_id = $1, lease_owner = $2, lease_until = now() + $3::int * interval '1 millisecond'
  where webhook_event_id in (select webhook_event_id from locked)
  returning webhook_event_id, tenant_id, issuance_id, body, issued_at, attempts`;
