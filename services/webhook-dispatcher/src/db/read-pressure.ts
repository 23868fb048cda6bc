import { isSuspended } from './put-tenants.ts';
import type { Queryable } from './queryable.ts';

/**
 * How much is due at endpoints that take it: of each at most `perEndpoint`. Those being sent count.
 */
export async function readPressure(db: Queryable, perEndpoint: number): Promise<number> {
  const due = (retry: boolean) =>
    `select 1 from delivery d
     where d.tenant_id = e.tenant_id and d.retry = ${retry} and d.due_at <= now()
       and d.state = 'pending' and d.body is not null`;
  const { rows } = await db.query<{ pressure: number }>(
    `select coalesce(sum(waiting.count), 0)::int as pressure
     from endpoint e
     cross join lateral (
       select count(*) from (
         (${due(false)} limit $1) union all (${due(true)} limit $1) limit $1
       ) as due
     ) as waiting
     where e.status = 'active' and e.probe_at is null and not ${isSuspended('e')}`,
    [perEndpoint],
  );
  return rows[0]?.pressure ?? 0;
}
