import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import type { Tx } from '@tributary/runtime/postgres';

/** The attempts log; a fact that is already there changes nothing. */
export async function insertAttempts(tx: Tx, facts: readonly DeliveryRecord[]): Promise<void> {
  await tx.query(
    `insert into attempt
       (webhook_event_id, attempt, outcome, result, status_code, started_at, duration_ms)
     select webhook_event_id, attempt, outcome, result, status_code, started_at, duration_ms
     from unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::int[], $6::timestamptz[], $7::int[])
       as fact (webhook_event_id, attempt, outcome, result, status_code, started_at, duration_ms)
     order by webhook_event_id, attempt
     on conflict (webhook_event_id, attempt) do nothing`,
    [
      facts.map((f) => f.webhookEventId),
      facts.map((f) => f.attempt),
      facts.map((f) => f.outcome),
      facts.map((f) => f.result),
      facts.map((f) => f.statusCode ?? null),
      facts.map((f) => f.startedAt),
      facts.map((f) => f.durationMs),
    ],
  );
}
