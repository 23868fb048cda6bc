import type { Queryable } from './queryable.ts';

/**
 * Gives claims back that were not sent, as if they had never been made; `delayMs` later when the
 * obstacle is ours.
 */
export async function releaseLeases(
  db: Queryable,
  claims: readonly { webhookEventId: string; leaseId: string }[],
  delayMs = 0,
): Promise<void> {
  if (claims.length === 0) return;
  await db.query(
    `update delivery d
     set lease_id = null, lease_owner = null, lease_until = null,
       due_at = case when $3::int > 0 then now() + $3::int * interval '1 millisecond'
         else d.due_at end
     from unnest($1::text[], $2::uuid[]) as claim (webhook_event_id, lease_id)
     where d.webhook_event_id = claim.webhook_event_id and d.lease_id = claim.lease_id`,
    [claims.map((c) => c.webhookEventId), claims.map((c) => c.leaseId), delayMs],
  );
}
