import type { EndpointTarget } from '../domain/target.ts';
import { targetColumns, type TargetRow, toTarget } from './endpoint-target.ts';
import type { Queryable } from './queryable.ts';

export type EndpointStatus = 'none' | 'active' | 'paused' | 'disabled';

/** A tenant's endpoint as it is configured now, and the database's time. */
export async function findEndpoint(
  db: Queryable,
  tenantId: string,
): Promise<{ status: EndpointStatus; target: EndpointTarget; now: Date } | undefined> {
  const { rows } = await db.query<TargetRow & { status: EndpointStatus; now: Date }>(
    `select ${targetColumns}, status, now() as now
     from endpoint where tenant_id = $1 and status <> 'none'`,
    [tenantId],
  );
  const row = rows[0];
  return row && { status: row.status, target: toTarget(row), now: row.now };
}
