import type { ClaimLimits } from './claim-deliveries.ts';
import { isSuspended } from './put-tenants.ts';
import type { Queryable } from './queryable.ts';

export type NextLook = {
  /** Milliseconds until an endpoint is worth a look; undefined when none is to be. */
  ms: number | undefined;
  /** One would be, if it had room. */
  waitsForRoom: boolean;
};

export async function findNextLook(
  db: Queryable,
  { perEndpoint, resting = [] }: Pick<ClaimLimits, 'perEndpoint' | 'resting'>,
): Promise<NextLook> {
  const { rows } = await db.query<{ ms: number | null; waits_for_room: boolean | null }>({
    name: 'next_look',
    text: `select (extract(epoch from min(greatest(next_at, probe_at))
               filter (where in_flight < $1) - now()) * 1000)::float8 as ms,
             bool_or(in_flight >= $1 and next_at <= now()) as waits_for_room
           from endpoint
           where status = 'active' and next_at < 'infinity'
             and not ${isSuspended('endpoint')}
             and (probe_at is null or in_flight = 0)
             and tenant_id <> all($2::text[])`,
    values: [perEndpoint, resting],
  });
  return { ms: rows[0]?.ms ?? undefined, waitsForRoom: rows[0]?.waits_for_room ?? false };
}
