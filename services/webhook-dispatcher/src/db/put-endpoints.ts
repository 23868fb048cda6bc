import type { Tx } from '@tributary/runtime/postgres';
import { notifyDue } from './notify-due.ts';

/** An endpoint as the catalog describes it. */
export type EndpointConfig = {
  tenantId: string;
  version: number;
  status: 'active' | 'paused' | 'disabled';
  url: string;
  username: string;
  sealedPassword: string;
  previous: { username: string; sealedPassword: string; until: Date } | null;
  reason: string | null;
  changedBy: string | null;
  changedAt: Date;
};

/**
 * Takes up what the catalog says; of one endpoint only a higher version than the known one. How it
 * fares is not touched, but a person changed something: what waits for it is looked at now, and an
 * open breaker tries one delivery at once.
 *
 * @param endpoints at most one per tenant.
 */
export async function putEndpoints(tx: Tx, endpoints: readonly EndpointConfig[]): Promise<void> {
  const { rowCount } = await tx.query(
    `insert into endpoint as known
       (tenant_id, version, status, url, username, sealed_password, previous_username,
        previous_sealed_password, previous_until, reason, changed_by, changed_at)
     select * from unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[],
       $7::text[], $8::text[], $9::timestamptz[], $10::text[], $11::text[], $12::timestamptz[])
       as put (tenant_id, version, status, url, username, sealed_password, previous_username,
         previous_sealed_password, previous_until, reason, changed_by, changed_at)
     order by tenant_id collate "C"
     on conflict (tenant_id) do update
       set version = excluded.version, status = excluded.status, url = excluded.url,
         username = excluded.username, sealed_password = excluded.sealed_password,
         previous_username = excluded.previous_username,
         previous_sealed_password = excluded.previous_sealed_password,
         previous_until = excluded.previous_until, reason = excluded.reason,
         changed_by = excluded.changed_by, changed_at = excluded.changed_at,
         next_at = least(known.next_at, now()),
         probe_at = least(known.probe_at, case when known.probe_at is not null then now() end)
       where known.version < excluded.version`,
    [
      endpoints.map((e) => e.tenantId),
      endpoints.map((e) => e.version),
      endpoints.map((e) => e.status),
      endpoints.map((e) => e.url),
      endpoints.map((e) => e.username),
      endpoints.map((e) => e.sealedPassword),
      endpoints.map((e) => e.previous?.username ?? null),
      endpoints.map((e) => e.previous?.sealedPassword ?? null),
      endpoints.map((e) => e.previous?.until ?? null),
      endpoints.map((e) => e.reason),
      endpoints.map((e) => e.changedBy),
      endpoints.map((e) => e.changedAt),
    ],
  );
  if ((rowCount ?? 0) > 0) await notifyDue(tx);
}
