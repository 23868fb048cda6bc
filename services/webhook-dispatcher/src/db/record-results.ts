import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import type { Tx } from '@tributary/runtime/postgres';
import type { AttemptEnd } from '../domain/delivery-fact.ts';

/** A delivery as it is when the result of an attempt is to be written. */
export type LockedDelivery = {
  webhookEventId: string;
  state: AttemptEnd['state'];
  round: number;
  attempts: number;
  retry: boolean;
  claimedBy: string | null;
};

/** Locks rows in the one order of all writers (by id). */
export async function lockDeliveries(
  tx: Tx,
  webhookEventIds: readonly string[],
): Promise<LockedDelivery[]> {
  const { rows } = await tx.query<{
    webhook_event_id: string;
    state: AttemptEnd['state'];
    round: number;
    attempts: number;
    retry: boolean;
    claimed_by: string | null;
  }>({
    name: 'lock_results',
    text: `select webhook_event_id, state, round, attempts, retry, claimed_by from delivery
           where webhook_event_id = any($1::uuid[])
           order by webhook_event_id
           for no key update`,
    values: [webhookEventIds],
  });
  return rows.map((row) => ({
    webhookEventId: row.webhook_event_id,
    state: row.state,
    round: row.round,
    attempts: row.attempts,
    retry: row.retry,
    claimedBy: row.claimed_by,
  }));
}

/** Writes where attempts left their deliveries, and ends the claims. The rows are locked. */
export async function recordResults(
  tx: Tx,
  results: readonly {
    webhookEventId: string;
    attempt: number;
    end: AttemptEnd;
    /** When the exchange was over. */
    endedAt: Date;
  }[],
): Promise<void> {
  if (results.length === 0) return;
  await tx.query({
    name: 'record_results',
    text: `update delivery d
           set state = r.state, attempts = r.attempt, step = r.step,
             due_at = coalesce(r.due_at, d.due_at), finished_at = r.finished_at, claimed_by = null
           from unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::timestamptz[],
             $6::timestamptz[]) as r (webhook_event_id, state, attempt, step, due_at, finished_at)
           where d.webhook_event_id = r.webhook_event_id`,
    values: [
      results.map((r) => r.webhookEventId),
      results.map((r) => r.end.state),
      results.map((r) => r.attempt),
      results.map((r) => r.end.step),
      results.map((r) => r.end.dueAt),
      results.map((r) => (r.end.state === 'pending' ? null : r.endedAt)),
    ],
  });
}

/**
 * How many of these attempts the rows tell of. The number of an attempt alone does not: another
 * process may have made one of the same number, when the row was restored.
 */
export async function countRecorded(
  tx: Tx,
  attempts: readonly Pick<DeliveryRecord, 'webhookEventId' | 'attempt' | 'round' | 'outcome'>[],
): Promise<number> {
  const { rows } = await tx.query<{ count: number }>({
    name: 'count_recorded',
    text: `select count(*)::int as count
           from unnest($1::uuid[], $2::int[], $3::int[], $4::text[])
             as reported (webhook_event_id, attempt, round, outcome)
           join delivery d using (webhook_event_id)
           where d.attempts >= reported.attempt and (d.round > reported.round
             or (d.round = reported.round and (reported.outcome = 'failed'
               or d.state in (reported.outcome, 'delivered'))))`,
    values: [
      attempts.map((a) => a.webhookEventId),
      attempts.map((a) => a.attempt),
      attempts.map((a) => a.round),
      attempts.map((a) => a.outcome),
    ],
  });
  return rows[0]?.count ?? 0;
}
