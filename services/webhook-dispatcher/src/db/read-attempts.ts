import type { Static } from '@sinclair/typebox';
import type { DeliveryDetail } from '@tributary/contracts/admin/webhook-answers';
import type { Queryable } from './queryable.ts';

type Detail = Static<typeof DeliveryDetail>;
/**
 * `answer`: only what this database saw; a rebuilt one has it not, and it goes with the retention.
 */
export type ShownAttempt = Detail['attempts'][number];
export type ShownResend = Detail['resends'][number];

/** A delivery's attempts as far as they are kept, in order. */
export async function readAttempts(db: Queryable, webhookEventId: string): Promise<ShownAttempt[]> {
  const { rows } = await db.query<{
    attempt: number;
    round: number;
    started_at: Date;
    duration_ms: number;
    outcome: string;
    result: string;
    status_code: number | null;
    detail: string | null;
    answer_headers: [string, string][] | null;
    answer_body: string | null;
    answer_cut: boolean | null;
  }>(
    `select attempt, round, started_at, duration_ms, outcome, result, status_code, detail,
       answer_headers, answer_body, answer_cut
     from attempt where webhook_event_id = $1 order by attempt`,
    [webhookEventId],
  );
  return rows.map((row) => ({
    attempt: row.attempt,
    round: row.round,
    startedAt: row.started_at.toISOString(),
    durationMs: row.duration_ms,
    outcome: row.outcome,
    result: row.result,
    ...(row.status_code !== null && { statusCode: row.status_code }),
    ...(row.detail !== null && { detail: row.detail }),
    ...(row.answer_headers !== null && {
      answer: {
        headers: row.answer_headers,
        body: row.answer_body ?? '',
        cut: row.answer_cut ?? false,
      },
    }),
  }));
}

export async function readResends(db: Queryable, webhookEventId: string): Promise<ShownResend[]> {
  const { rows } = await db.query<{
    round: number;
    asked_by: string;
    note: string | null;
    asked_at: Date;
  }>(
    `select round, asked_by, note, asked_at from resend
     where webhook_event_id = $1 order by round`,
    [webhookEventId],
  );
  return rows.map((row) => ({
    round: row.round,
    by: row.asked_by,
    ...(row.note !== null && { note: row.note }),
    at: row.asked_at.toISOString(),
  }));
}
