import { burstOf, type StripeRates } from '../domain/stripe-rates.ts';
import type { Queryable } from './queryable.ts';

/**
 * Takes the next turn of a connection at an endpoint, for all processes by the database's clock;
 * gives how long to wait for it. Undefined, and nothing taken of the endpoint, when that would be
 * longer than `mostMs`.
 *
 * Each row is a leaky bucket: `next_at` is when it will have run empty. The row of the account
 * comes first in every process, so that two never wait for each other.
 */
export async function takeTurn(
  db: Queryable,
  { connectionId, endpoint }: { connectionId: string; endpoint: string },
  { rates, mostMs }: { rates: StripeRates; mostMs: number },
): Promise<number | undefined> {
  const { accountPerSecond, endpointPerSecond } = rates;
  const [account, own] = [accountPerSecond, endpointPerSecond].map((perSecond) => ({
    gapMs: 1_000 / perSecond,
    aheadMs: (1_000 / perSecond) * burstOf(perSecond),
  }));
  const { rows } = await db.query<{ endpoint: string; wait_ms: number }>({
    name: 'take_turn',
    text: `
      insert into stripe_turn as turn (connection_id, endpoint, next_at)
      values ($1, '', clock_timestamp() + $3::float8 * interval '1 millisecond'),
        ($1, $2, clock_timestamp() + $5::float8 * interval '1 millisecond')
      on conflict (connection_id, endpoint) do update set
        next_at = greatest(turn.next_at, clock_timestamp())
          + case when turn.endpoint = '' then $3::float8 else $5::float8 end * interval '1 millisecond'
      where turn.next_at <= clock_timestamp() + ($7::float8
        + case when turn.endpoint = '' then $4::float8 else $6::float8 end)
          * interval '1 millisecond'
      returning endpoint,
        extract(epoch from next_at - clock_timestamp())::float8 * 1000
          - case when endpoint = '' then $4::float8 else $6::float8 end as wait_ms`,
    values: [
      connectionId,
      endpoint,
      ...[account!.gapMs, account!.aheadMs, own!.gapMs, own!.aheadMs],
      mostMs,
    ],
  });
  if (rows.length < 2) return undefined;
  return Math.max(0, ...rows.map((row) => row.wait_ms));
}
