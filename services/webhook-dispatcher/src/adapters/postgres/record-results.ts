import type { Tx } from '@tributary/runtime/postgres';
import type { Claim } from './claim-deliveries.ts';

export type Result = {
  claim: Claim;
  delivered: boolean;
  /** Delay until the next try; undefined when the schedule has ended. */
  delayMs: number | undefined;
};

export type Recorded = {
  webhookEventId: string;
  leaseId: string;
  state: 'pending' | 'delivered' | 'exhausted';
  dueAt: Date;
};

/**
 * Writes results of claims that are still ours: same lease, same attempt. Rows that are missing in
 * the answer were lost to another process, which makes the attempt itself. The due time and the
 * horizon are by the database clock; a retry that would fall behind the horizon is made at it, and
 * a failure at or behind it ends the delivery.
 */
export async function recordResults(
  tx: Tx,
  results: readonly Result[],
  horizonMs: number,
): Promise<Recorded[]> {
  const { rows } = await tx.query<{
    webhook_event_id: string;
    lease_id: string;
    state: string;
    due_at: Date;
  }>(
    `with ended as (
       select webhook_event_id, lease_id, attempt, delay_ms, delivered
       from unnest($1::text[], $2::uuid[], $3::int[], $4::bigint[], $5::boolean[])
         as result (webhook_event_id, lease_id, attempt, delay_ms, delivered)
     ),
     judged as (
       select ended.*, d.issued_at + $6::bigint * interval '1 millisecond' as horizon,
         case
           when ended.delivered then 'delivered'
           when ended.delay_ms is null
             or now() >= d.issued_at + $6::bigint * interval '1 millisecond' then 'exhausted'
           else 'pending'
         end as state
       from ended join delivery d using (webhook_event_id)
     )
     update delivery d
     set state = judged.state,
       attempts = judged.attempt,
       due_at = case when judged.state = 'pending'
         then least(now() + judged.delay_ms * interval '1 millisecond', judged.horizon)
         else d.due_at end,
       finished_at = case when judged.state <> 'pending' then now() end,
       lease_id = null, lease_owner = null, lease_until = null
     from judged
     where d.webhook_event_id = judged.webhook_event_id
       and d.lease_id = judged.lease_id
       and d.attempts = judged.attempt - 1
     returning d.webhook_event_id, judged.lease_id, d.state, d.due_at`,
    [
      results.map((r) => r.claim.webhookEventId),
      results.map((r) => r.claim.leaseId),
      results.map((r) => r.claim.attempt),
      results.map((r) => r.delayMs ?? null),
      results.map((r) => r.delivered),
      horizonMs,
    ],
  );
  return rows.map((row) => ({
    webhookEventId: row.webhook_event_id,
    leaseId: row.lease_id,
    state: row.state as Recorded['state'],
    dueAt: row.due_at,
  }));
}
