import type { Queryable } from './queryable.ts';

/** A delivery about which something is to be told. */
export type NamedDelivery = {
  webhookEventId: string;
  tenantId: string;
  issuanceId: string;
  round: number;
  attempts: number;
};

/** How {@link NamedDelivery} is read from `delivery d`. */
export const namedDelivery = `d.webhook_event_id as "webhookEventId", d.tenant_id as "tenantId",
  d.issuance_id as "issuanceId", d.round, d.attempts`;

/**
 * Deliveries whose horizon has passed while nobody was to send them: their endpoint is paused, or
 * its breaker is open. Without an endpoint, or while their tenant is suspended, they wait without
 * end, and when it is resumed their horizon begins anew. With the database's time.
 *
 * None is due later than its horizon, so those that are not due are not looked at.
 */
export async function findOverdue(
  db: Queryable,
  options: { horizonMs: number; limit: number },
): Promise<(NamedDelivery & { now: Date })[]> {
  const { rows } = await db.query<NamedDelivery & { now: Date }>(
    `select ${namedDelivery}, now() as now
     from endpoint e
     left join tenant t on t.tenant_id = e.tenant_id
     join delivery d on d.tenant_id = e.tenant_id and d.retry in (false, true)
       and d.due_at <= now() and d.state = 'pending' and d.body is not null
     where (e.status = 'paused' or (e.status = 'active' and e.probe_at is not null))
       and d.claimed_by is null and t.suspended is not true
       and greatest(d.round_started_at, t.resumed_at) <= now() - $1::bigint * interval '1 millisecond'
     limit $2`,
    [options.horizonMs, options.limit],
  );
  return rows;
}
