import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import type { Tx } from '@tributary/runtime/postgres';
import type { Answer } from '../domain/outcome.ts';

/** A fact, and what only the process that made the attempt knows. */
export type AttemptRow = { fact: DeliveryRecord; detail?: string; answer?: Answer };

/**
 * The attempts log. A row that is already there, from the log, gets the answer filled in; two
 * processes that made the same attempt (one had lost its lease) share the row of the first. What
 * was answered about a person who was erased since the attempt began is not kept.
 */
export async function insertAttempts(tx: Tx, attempts: readonly AttemptRow[]): Promise<void> {
  if (attempts.length === 0) return;
  const sorted = sortByName(attempts);
  const facts = sorted.map(({ fact }) => fact);
  const answers = sorted.map(({ answer }) => answer);
  await tx.query({
    name: 'insert_attempts',
    text: insertStatement,
    values: [
      facts.map((f) => f.webhookEventId),
      facts.map((f) => f.attempt),
      facts.map((f) => f.round),
      facts.map((f) => f.step),
      facts.map((f) => f.outcome),
      facts.map((f) => f.result),
      sorted.map(({ detail }) => (detail === undefined ? null : withoutNul(detail))),
      facts.map((f) => f.statusCode),
      facts.map((f) => f.startedAt),
      facts.map((f) => f.durationMs),
      answers.map((a) => (a ? JSON.stringify(a.headers) : null)),
      answers.map((a) => (a ? withoutNul(a.body) : null)),
      answers.map((a) => a?.cut),
    ],
  });
}

const insertStatement = `
  insert into attempt as present
    (webhook_event_id, attempt, round, step, outcome, result, detail, status_code, started_at,
      duration_ms, answer_headers, answer_body, answer_cut)
  select id, attempt, round, step, outcome, result, detail, status_code, started_at, duration_ms,
    case when not is_erased then answer_headers end, case when not is_erased then answer_body end,
    answer_cut
  from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::text[], $6::text[],
      $7::text[], $8::int[], $9::timestamptz[], $10::int[], $11::json[], $12::text[], $13::boolean[])
    as made (id, attempt, round, step, outcome, result, detail, status_code, started_at,
      duration_ms, answer_headers, answer_body, answer_cut)
  cross join lateral (
    -- The latest erasure of all is read once; nearly always that is the end of it.
    select coalesce(started_at <= (select max(erased_at) from erasure), false) and exists (
      select from delivery d
      join erasure e on e.tenant_id = d.tenant_id and e.user_id = d.recipient_id
      where d.webhook_event_id = id and started_at <= e.erased_at) as is_erased
  ) of_person
  on conflict (webhook_event_id, attempt) do update
    set detail = coalesce(excluded.detail, present.detail),
      answer_headers = excluded.answer_headers,
      answer_body = excluded.answer_body,
      answer_cut = excluded.answer_cut
    where present.answer_cut is null and present.started_at = excluded.started_at
      and (excluded.answer_cut is not null or excluded.detail is not null)`;

/** One order for all writers; one row per attempt, as a statement may not touch a row twice. */
function sortByName(attempts: readonly AttemptRow[]): AttemptRow[] {
  const byName = new Map<string, AttemptRow>();
  for (const attempt of attempts) {
    const name = `${attempt.fact.webhookEventId}/${attempt.fact.attempt}`;
    if (!byName.has(name)) byName.set(name, attempt);
  }
  return [...byName.values()].sort(({ fact: a }, { fact: b }) => {
    if (a.webhookEventId !== b.webhookEventId) return a.webhookEventId < b.webhookEventId ? -1 : 1;
    return a.attempt - b.attempt;
  });
}

/** Postgres text holds none, and an endpoint may answer anything. */
function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}
