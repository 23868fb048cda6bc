import type { EndpointTarget } from '../domain/target.ts';
import { targetColumns, type TargetRow, toTarget } from './endpoint-target.ts';
import { isSuspended } from './put-tenants.ts';
import type { Queryable } from './queryable.ts';

export type EndpointStatus = 'none' | 'active' | 'paused' | 'disabled';

export type FoundEndpoint = {
  status: EndpointStatus;
  /** The tenant is. */
  suspended: boolean;
  target: EndpointTarget;
  now: Date;
};

/** A tenant's endpoint as it is configured now, and the database's time. */
export async function findEndpoint(
  db: Queryable,
  tenantId: string,
): Promise<FoundEndpoint | undefined> {
  const { rows } = await db.query<TargetRow & Omit<FoundEndpoint, 'target'>>(
    `select ${targetColumns}, status, now() as now, ${isSuspended('endpoint')} as suspended
     from endpoint where tenant_id = $1 and status <> 'none'`,
    [tenantId],
  );
  const row = rows[0];
  if (!row) return undefined;
  const { status, suspended, now } = row;
  return { status, suspended, target: toTarget(row), now };
}
