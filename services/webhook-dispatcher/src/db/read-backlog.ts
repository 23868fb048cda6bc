import { isSuspended } from './put-tenants.ts';
import type { Queryable } from './queryable.ts';

/** What keeps a delivery from being sent, or nothing but its turn. */
export const backlogClasses = [
  'sendable',
  'breaker-open',
  'paused',
  'suspended',
  'no-endpoint',
] as const;
export type BacklogClass = (typeof backlogClasses)[number];

/** Deliveries that are due and not being sent, and how long the oldest has waited. */
export type Backlog = ReadonlyMap<BacklogClass, { due: number; oldestDueSeconds: number }>;

/**
 * Counted tenant by tenant, along the index that claims use. What is being sent is in that index
 * too; the endpoint's row knows how many those are.
 */
export async function readBacklog(db: Queryable): Promise<Backlog> {
  const waiting = (retry: boolean) =>
    `select due_at from delivery
     where tenant_id = e.tenant_id and state = 'pending' and body is not null
       and retry = ${retry} and due_at <= now()`;
  const { rows } = await db.query<{ class: BacklogClass; due: number; oldest: number }>(
    `select
       case when ${isSuspended('e')} then 'suspended'
         when e.status in ('none', 'disabled') then 'no-endpoint'
         when e.status = 'paused' then 'paused'
         when e.probe_at is not null then 'breaker-open'
         else 'sendable' end as class,
       sum(greatest(0, waiting.due - e.in_flight))::int as due,
       coalesce(max(case when waiting.due > e.in_flight
         then extract(epoch from now() - waiting.oldest) end), 0)::float8 as oldest
     from endpoint e
     cross join lateral (
       select count(*)::int as due, min(due_at) as oldest
       from (${waiting(false)} union all ${waiting(true)}) as row
     ) as waiting
     group by 1`,
  );
  const found = new Map(rows.map((row) => [row.class, row]));
  return new Map(
    backlogClasses.map((name) => {
      const row = found.get(name);
      return [name, { due: row?.due ?? 0, oldestDueSeconds: row?.oldest ?? 0 }];
    }),
  );
}
