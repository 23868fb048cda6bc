import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import type { Tx } from '@tributary/runtime/postgres';
import {
  distinctAttempts,
  isShownBefore,
  type RecordedAttempt,
} from '../domain/recorded-attempt.ts';

/**
 * Attempts that the deliveries topic tells of. In normal running they are there already, with what
 * the receiver answered, and nothing is written. What a fact replaces loses its answer: it was
 * given to somebody else's request.
 */
export async function restoreAttempts(tx: Tx, facts: readonly DeliveryRecord[]): Promise<void> {
  if (facts.length === 0) return;
  const recorded = distinctAttempts(facts);
  const stored = await readRecorded(tx, recorded);
  const news = recorded.filter((fact) => {
    const there = stored.get(nameOf(fact));
    return !there || isShownBefore(fact, there);
  });
  if (news.length > 0) await writeAttempts(tx, news);
}

/** A row that came in since it was looked for is of the same attempt, with its answer: it stays. */
async function writeAttempts(tx: Tx, facts: readonly DeliveryRecord[]): Promise<void> {
  await tx.query(
    `insert into attempt
       (webhook_event_id, attempt, round, step, outcome, result, status_code, started_at, duration_ms)
     select webhook_event_id, attempt, round, step, outcome, result, status_code, started_at,
       duration_ms
     from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::text[], $6::text[], $7::int[],
         $8::timestamptz[], $9::int[])
       as fact (webhook_event_id, attempt, round, step, outcome, result, status_code, started_at,
         duration_ms)
     order by webhook_event_id, attempt
     on conflict (webhook_event_id, attempt) do update
       set round = excluded.round, step = excluded.step, outcome = excluded.outcome,
         result = excluded.result, status_code = excluded.status_code,
         started_at = excluded.started_at, duration_ms = excluded.duration_ms,
         detail = null, answer_headers = null, answer_body = null, answer_cut = null
       where attempt.started_at <> excluded.started_at or attempt.outcome <> excluded.outcome
         or attempt.duration_ms <> excluded.duration_ms or attempt.round <> excluded.round`,
    [
      facts.map((f) => f.webhookEventId),
      facts.map((f) => f.attempt),
      facts.map((f) => f.round),
      facts.map((f) => f.step),
      facts.map((f) => f.outcome),
      facts.map((f) => f.result),
      facts.map((f) => f.statusCode ?? null),
      facts.map((f) => new Date(f.startedAt)),
      facts.map((f) => f.durationMs),
    ],
  );
}

async function readRecorded(
  tx: Tx,
  facts: readonly DeliveryRecord[],
): Promise<Map<string, RecordedAttempt>> {
  const { rows } = await tx.query<{
    webhook_event_id: string;
    attempt: number;
    outcome: DeliveryRecord['outcome'];
    round: number;
    step: number;
    result: DeliveryRecord['result'];
    status_code: number | null;
    started_at: Date;
    duration_ms: number;
  }>(
    `select webhook_event_id, attempt, outcome, round, step, result, status_code, started_at,
       duration_ms
     from attempt
     join unnest($1::uuid[], $2::int[]) as reported (webhook_event_id, attempt)
       using (webhook_event_id, attempt)`,
    [facts.map((f) => f.webhookEventId), facts.map((f) => f.attempt)],
  );
  return new Map(
    rows.map((row) => [
      nameOf({ webhookEventId: row.webhook_event_id, attempt: row.attempt }),
      {
        outcome: row.outcome,
        round: row.round,
        step: row.step,
        result: row.result,
        ...(row.status_code !== null && { statusCode: row.status_code }),
        startedAt: row.started_at.toISOString(),
        durationMs: row.duration_ms,
      },
    ]),
  );
}

function nameOf({ webhookEventId, attempt }: { webhookEventId: string; attempt: number }) {
  return `${webhookEventId}/${attempt}`;
}
