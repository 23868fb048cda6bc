import type { Tx } from '@tributary/runtime/postgres';
import type { AttemptEnd } from '../../domain/delivery-fact.ts';

/** A delivery as it is when the result of an attempt is to be written. */
export type LockedDelivery = {
  webhookEventId: string;
  state: AttemptEnd['state'];
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
    attempts: number;
    retry: boolean;
    claimed_by: string | null;
  }>({
    name: 'lock_results',
    text: `select webhook_event_id, state, attempts, retry, claimed_by from delivery
           where webhook_event_id = any($1::uuid[])
           order by webhook_event_id
           for no key update`,
    values: [webhookEventIds],
  });
  return rows.map((row) => ({
    webhookEventId: row.webhook_event_id,
    state: row.state,
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
      results.map((r) => r.end.dueAt ?? null),
      results.map((r) => (r.end.state === 'pending' ? null : r.endedAt)),
    ],
  });
}
