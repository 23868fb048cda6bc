import type { EndpointTarget } from '../endpoint/send-delivery.ts';
import type { Queryable } from './queryable.ts';

export type EndpointStatus = 'none' | 'active' | 'paused' | 'disabled';

/** A tenant's endpoint as it is configured now, and the database's time. */
export async function findEndpoint(
  db: Queryable,
  tenantId: string,
): Promise<{ status: EndpointStatus; target: EndpointTarget; now: Date } | undefined> {
  const { rows } = await db.query<{
    status: EndpointStatus;
    url: string;
    username: string;
    sealed_password: string;
    previous_username: string | null;
    previous_sealed_password: string | null;
    previous_until: Date | null;
    now: Date;
  }>(
    `select status, url, username, sealed_password, previous_username, previous_sealed_password,
       previous_until, now() as now
     from endpoint where tenant_id = $1 and status <> 'none'`,
    [tenantId],
  );
  const row = rows[0];
  if (!row) return undefined;
  const { previous_username: username, previous_sealed_password: sealed } = row;
  const until = row.previous_until;
  return {
    status: row.status,
    target: {
      tenantId,
      url: row.url,
      username: row.username,
      sealedPassword: row.sealed_password,
      ...(username !== null &&
        sealed !== null &&
        until !== null && { previous: { username, sealedPassword: sealed, until } }),
    },
    now: row.now,
  };
}
