import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { DeliveryState, KnownOutcome, DeliveryStatus } from '../domain/known-outcome.ts';

/** A row as far as facts speak of it. */
export type StoredStatus = {
  webhookEventId: string;
  tenantId: string;
  status: DeliveryStatus;
  /** It is claimed, and in the counters of its endpoint. */
  takesRoom: boolean;
};

/** Rows that are there, by id; others are missing in the answer. */
export async function readStatuses(
  tx: Tx,
  webhookEventIds: readonly string[],
): Promise<Map<string, StoredStatus>> {
  const { rows } = await tx.query<{
    webhook_event_id: string;
    tenant_id: string;
    state: DeliveryState;
    round: number;
    attempts: number;
    step: number;
    due_at: Date;
    finished_at: Date | null;
    takes_room: boolean;
  }>(
    `select webhook_event_id, tenant_id, state, round, attempts, step, due_at, finished_at,
       claimed_by is not null and not exists (
         select from worker where worker_id = claimed_by and not takes_room
       ) as takes_room
     from delivery where webhook_event_id = any($1::uuid[])`,
    [webhookEventIds],
  );
  return new Map(
    rows.map((row) => [
      row.webhook_event_id,
      {
        webhookEventId: row.webhook_event_id,
        tenantId: row.tenant_id,
        status: {
          state: row.state,
          round: row.round,
          attempts: row.attempts,
          step: row.step,
          dueMs: row.due_at.getTime(),
          finishedMs: row.finished_at?.getTime() ?? null,
        },
        takesRoom: row.takes_room,
      },
    ]),
  );
}

/**
 * Locks the rows, and makes those that are missing, in one order with all other writers. A row made
 * here has no body: the issuance may come later.
 */
export async function lockOrMakeDeliveries(
  tx: Tx,
  outcomes: readonly KnownOutcome[],
): Promise<void> {
  await tx.query(
    `insert into delivery (webhook_event_id, tenant_id, issuance_id, due_at)
     select webhook_event_id, tenant_id, issuance_id, 'epoch'
     from unnest($1::uuid[], $2::text[], $3::uuid[])
       as known (webhook_event_id, tenant_id, issuance_id)
     order by webhook_event_id
     on conflict (webhook_event_id) do update set round = delivery.round where false`,
    columnsOf(outcomes, 'webhookEventId', 'tenantId', 'issuanceId'),
  );
}

/**
 * Writes where facts have brought rows that this transaction has locked. Whoever is sending one of
 * them loses the claim: what it will tell is a fact as well, and is joined like any other.
 *
 * A round starts when it was asked for; the first one when the issuance says.
 */
export async function writeStatuses(
  tx: Tx,
  changes: readonly { webhookEventId: string; status: DeliveryStatus; keepsClaim: boolean }[],
): Promise<void> {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms));
  await tx.query(
    `update delivery d
     set state = known.state, round = known.round, attempts = known.attempts, step = known.step,
       due_at = known.due_at, finished_at = known.finished_at,
       claimed_by = case when known.keeps_claim then d.claimed_by end,
       round_started_at = coalesce(
         (select asked_at from resend r
          where r.webhook_event_id = d.webhook_event_id and r.round = known.round),
         d.issued_at, d.round_started_at)
     from unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::int[], $6::timestamptz[],
         $7::timestamptz[], $8::boolean[])
       as known (webhook_event_id, state, round, attempts, step, due_at, finished_at, keeps_claim)
     where d.webhook_event_id = known.webhook_event_id`,
    [
      changes.map((c) => c.webhookEventId),
      changes.map((c) => c.status.state),
      changes.map((c) => c.status.round),
      changes.map((c) => c.status.attempts),
      changes.map((c) => c.status.step),
      changes.map((c) => time(c.status.dueMs)),
      changes.map((c) => time(c.status.finishedMs)),
      changes.map((c) => c.keepsClaim),
    ],
  );
}
