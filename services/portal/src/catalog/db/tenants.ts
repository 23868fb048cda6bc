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

/**
 * Waits for whoever makes or removes a tenant of this name; taken before any tenant is locked.
 * Names of removed tenants are not given again, those of others may be.
 */
export async function lockTenantName(tx: Tx, name: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`tenant name ${name}`]);
}

/** Nothing when the id is taken, or a removed tenant had the id or the name. */
export async function insertTenant(tx: Tx, row: TenantRow & { at: Date }): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into tenant
       (tenant_id, name, status, product_id, default_campaign_id, attribution_mode,
        legacy_repeat_hours, version, created_at, changed_at)
     select $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::integer, $8::integer,
       $9::timestamptz, $9::timestamptz
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
  at: Date,
): Promise<TenantRow | undefined> {
  const { rows } = await tx.query<TenantRow>(
    `update tenant set ${settings[setting]} = $2, version = version + 1, changed_at = $3
     where tenant_id = $1 returning ${columns}`,
    [tenantId, value, at],
  );
  return rows[0];
}

export async function markTenantRemoved(
  tx: Tx,
  tenantId: string,
  at: Date,
): Promise<TenantRow | undefined> {
  const { rows } = await tx.query<TenantRow>(
    `update tenant set removed_at = $2, changed_at = $2, version = version + 1
     where tenant_id = $1 and removed_at is null returning ${columns}`,
    [tenantId, at],
  );
  return rows[0];
}

/** When the newest version of the tenant was published. */
export async function readChangedAt(tx: Tx, tenantId: string): Promise<Date | undefined> {
  const { rows } = await tx.query<{ at: Date }>(
    `select changed_at as at from tenant where tenant_id = $1`,
    [tenantId],
  );
  return rows[0]?.at;
}

export type DueRemoval = { tenantId: string; removedAt: Date };

/**
 * The removal that is due longest, if one is, for its taker alone until the next look. That comes
 * after a quarter of the time that went by since the removal, between the given bounds: whatever
 * becomes of this look, the next removal is not kept waiting, and nobody is asked without end.
 */
export async function takeDueRemoval(
  db: Pick<Tx, 'query'>,
  now: Date,
  { leastMs, mostMs }: { leastMs: number; mostMs: number },
): Promise<DueRemoval | undefined> {
  const { rows } = await db.query<DueRemoval>(
    `update tenant set removal_due_at = $1::timestamptz + least(
       greatest(($1::timestamptz - removed_at) / 4, $2 * interval '1 ms'), $3 * interval '1 ms')
     where tenant_id = (
       select tenant_id from tenant where removed_at is not null and removal_due_at <= $1
       order by removal_due_at, tenant_id limit 1 for no key update skip locked)
     returning tenant_id as "tenantId", removed_at as "removedAt"`,
    [now, leastMs, mostMs],
  );
  return rows[0];
}

export async function finishRemovalOf(db: Pick<Tx, 'query'>, tenantId: string): Promise<void> {
  await db.query(`update tenant set removal_due_at = 'infinity' where tenant_id = $1`, [tenantId]);
}
