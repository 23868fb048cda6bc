import { burstOf, type StripeRates } from '../domain/stripe-rates.ts';
import type { Queryable } from './queryable.ts';

/**
 * Takes the next turn of a connection at an endpoint, for all processes by the database's clock;
 * gives how long to wait for it. Undefined, and nothing taken, when that would be longer than
 * `mostMs`.
 *
 * Each row is a leaky bucket: `next_at` is when it will have run empty. The row of the account
 * is locked first by every process, so that two never wait for each other.
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
  const values = [
    connectionId,
    endpoint,
    ...[account!.gapMs, account!.aheadMs, own!.gapMs, own!.aheadMs],
    mostMs,
  ];
  type Taken = { known: number; wait_ms: number | null };
  const query = { name: 'take_turn', text: bothOrNone, values };
  const take = async () => (await db.query<Taken>(query)).rows[0]!;
  let taken = await take();
  if (taken.known < 2) {
    await db.query(
      `insert into stripe_turn (connection_id, endpoint, next_at)
       values ($1, '', clock_timestamp()), ($1, $2, clock_timestamp()) on conflict do nothing`,
      [connectionId, endpoint],
    );
    taken = await take();
  }
  return taken.wait_ms === null ? undefined : Math.max(0, taken.wait_ms);
}

/** A full endpoint costs the account nothing: others of its endpoints would starve. */
const bothOrNone = `
  with locked as (
    select endpoint, next_at from stripe_turn
    where connection_id = $1 and endpoint in ('', $2) order by endpoint for update
  ), found as (
    select count(*) = 2 and bool_and(next_at <= clock_timestamp() + ($7::float8
      + case when endpoint = '' then $4::float8 else $6::float8 end)
        * interval '1 millisecond') as is_free
    from locked
  ), taken as (
    update stripe_turn as turn set
      next_at = greatest(turn.next_at, clock_timestamp())
        + case when turn.endpoint = '' then $3::float8 else $5::float8 end * interval '1 millisecond'
    from found
    where found.is_free and turn.connection_id = $1 and turn.endpoint in ('', $2)
    returning extract(epoch from next_at - clock_timestamp())::float8 * 1000
      - case when turn.endpoint = '' then $4::float8 else $6::float8 end as wait_ms
  )
  select (select count(*)::int from locked) as known, (select max(wait_ms) from taken) as wait_ms`;
