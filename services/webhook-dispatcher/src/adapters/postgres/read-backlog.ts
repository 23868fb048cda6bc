import type { Queryable } from './queryable.ts';

export type Backlog = { due: number; oldestDueSeconds: number; withoutEndpoint: number };

/** What should have been sent by now, and how long the oldest has waited. */
export async function readBacklog(db: Queryable): Promise<Backlog> {
  const { rows } = await db.query<{ due: number; oldest: number; without_endpoint: number }>(
    `select count(*)::int as due,
       coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as oldest,
       (select count(*)::int from delivery where state = 'no-endpoint') as without_endpoint
     from delivery
     where state = 'pending' and body is not null and lease_id is null and due_at <= now()`,
  );
  const row = rows[0];
  return {
    due: row?.due ?? 0,
    oldestDueSeconds: row?.oldest ?? 0,
    withoutEndpoint: row?.without_endpoint ?? 0,
  };
}
