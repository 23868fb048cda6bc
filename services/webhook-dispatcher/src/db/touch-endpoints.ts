import { columnsOf } from '@tributary/runtime/columns';
import { inOneTurn, type Tx } from '@tributary/runtime/postgres';
import { takenOff } from './endpoint-room.ts';

/** What became of deliveries, as the endpoint's row has to know it. */
export type EndpointTouch = {
  tenantId: string;
  /** Something is to be sent then. */
  nextAt?: Date;
  /** Claims that are gone, and how many of them were of retries. */
  lostClaims?: number;
  lostRetries?: number;
};

/**
 * Tells endpoints that there is something to look at: what became due, or the room of a claim that
 * is gone. To be called after the rows of `delivery` were written, as the last thing of a
 * transaction.
 *
 * The rows are locked before they are evaluated: a claim that looked before our deliveries were
 * there may be about to write "nothing until later", and a look at what it has not written yet
 * would leave it at that.
 *
 * Not before now, whatever was due long ago: endpoints are served in this order
 * (claim-deliveries.ts).
 */
export async function touchEndpoints(tx: Tx, touches: readonly EndpointTouch[]): Promise<void> {
  const perTenant = sumUp(touches);
  if (perTenant.length === 0) return;
  const tenantIds = perTenant.map((touch) => touch.tenantId);
  const locked = tx.query({
    name: 'lock_endpoints_to_touch',
    text: `insert into endpoint (tenant_id)
           select tenant_id from unnest($1::text[]) as touch (tenant_id)
           order by tenant_id collate "C"
           on conflict (tenant_id) do update set next_at = endpoint.next_at where false`,
    values: [tenantIds],
  });
  const touched = tx.query({
    name: 'touch_endpoints',
    text: `update endpoint e
           set next_at = least(e.next_at, touch.next_at, case when touch.lost > 0 then now() end),
             ${takenOff('touch.lost', 'touch.lost_retries')}
           from (
             select tenant_id, greatest(now(), next_at) as next_at, lost, lost_retries
             from unnest($1::text[], $2::timestamptz[], $3::int[], $4::int[])
               as touch (tenant_id, next_at, lost, lost_retries)
           ) as touch
           where e.tenant_id = touch.tenant_id and (touch.lost > 0 or e.next_at > touch.next_at)`,
    values: [
      tenantIds,
      ...columnsOf(perTenant, (touch) => touch.nextAt ?? 'infinity', 'lostClaims', 'lostRetries'),
    ],
  });
  await inOneTurn([locked, touched]);
}

/** One for each tenant. */
function sumUp(touches: readonly EndpointTouch[]) {
  const sums = new Map<
    string,
    { tenantId: string; nextAt: Date | undefined; lostClaims: number; lostRetries: number }
  >();
  for (const { tenantId, nextAt, lostClaims = 0, lostRetries = 0 } of touches) {
    const sum = sums.get(tenantId) ?? { tenantId, nextAt, lostClaims: 0, lostRetries: 0 };
    sum.lostClaims += lostClaims;
    sum.lostRetries += lostRetries;
    if (nextAt && (!sum.nextAt || nextAt < sum.nextAt)) sum.nextAt = nextAt;
    sums.set(tenantId, sum);
  }
  return [...sums.values()];
}
