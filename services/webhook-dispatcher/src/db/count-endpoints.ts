import type { Queryable } from './queryable.ts';

export const countedStatuses = ['none', 'active', 'paused', 'disabled'] as const;
export const breakerStates = ['closed', 'open', 'half-open'] as const;

export type EndpointCounts = {
  byStatus: Record<(typeof countedStatuses)[number], number>;
  /** Counts active ones. */
  byBreaker: Record<(typeof breakerStates)[number], number>;
  /** Active ones that nothing has reached for a long time. */
  failing: number;
  /** Deliveries being sent, over all processes. */
  inFlight: number;
};

export async function countEndpoints(
  db: Queryable,
  { failingAfterMs }: { failingAfterMs: number },
): Promise<EndpointCounts> {
  const { rows } = await db.query<Record<string, number>>(
    `select
       count(*) filter (where status = 'none')::int as none,
       count(*) filter (where status = 'active')::int as active,
       count(*) filter (where status = 'paused')::int as paused,
       count(*) filter (where status = 'disabled')::int as disabled,
       count(*) filter (where status = 'active' and probe_at is null)::int as closed,
       count(*) filter (where status = 'active' and probe_at > now())::int as open,
       count(*) filter (where status = 'active' and probe_at <= now())::int as "half-open",
       count(*) filter (where status = 'active'
         and failing_since <= now() - $1::bigint * interval '1 millisecond')::int as failing,
       coalesce(sum(in_flight), 0)::int as in_flight
     from endpoint`,
    [failingAfterMs],
  );
  const count = (name: string) => rows[0]?.[name] ?? 0;
  return {
    byStatus: {
      none: count('none'),
      active: count('active'),
      paused: count('paused'),
      disabled: count('disabled'),
    },
    byBreaker: {
      closed: count('closed'),
      open: count('open'),
      'half-open': count('half-open'),
    },
    failing: count('failing'),
    inFlight: count('in_flight'),
  };
}
