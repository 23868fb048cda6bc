import type { ClaimLimits } from './claim-deliveries.ts';
import { isSuspended } from './put-tenants.ts';
import type { Queryable } from './queryable.ts';

/** Milliseconds until an endpoint is worth a look; undefined when none is to be. */
export async function nextLookMs(
  db: Queryable,
  { perEndpoint, resting = [] }: Pick<ClaimLimits, 'perEndpoint' | 'resting'>,
): Promise<number | undefined> {
  const { rows } = await db.query<{ ms: number | null }>({
    name: 'next_look',
    text: `select (extract(epoch from min(greatest(next_at, probe_at)) - now()) * 1000)::float8 as ms
           from endpoint
           where status = 'active' and next_at < 'infinity' and in_flight < $1
             and not ${isSuspended('endpoint')}
             and (probe_at is null or in_flight = 0)
             and tenant_id <> all($2::text[])`,
    values: [perEndpoint, resting],
  });
  return rows[0]?.ms ?? undefined;
}
