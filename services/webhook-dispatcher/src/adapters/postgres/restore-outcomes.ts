import type { Tx } from '@tributary/runtime/postgres';
import type { KnownOutcome } from '../../domain/known-outcome.ts';

/**
 * Brings rows to what the deliveries topic knows. In normal running the rows are there already and
 * nothing is written; in an empty or older schema this is what keeps a rebuilt dispatcher from
 * sending again. A row that is still missing is made without a body: the issuance may come later.
 */
export async function restoreOutcomes(tx: Tx, outcomes: readonly KnownOutcome[]): Promise<void> {
  await tx.query(
    `insert into delivery as d
       (webhook_event_id, tenant_id, issuance_id, state, attempts, due_at, finished_at)
     select webhook_event_id, tenant_id, issuance_id, state, attempts,
       coalesce(due_at, now()), case when state <> 'pending' then now() end
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::timestamptz[])
       as known (webhook_event_id, tenant_id, issuance_id, state, attempts, due_at)
     where not exists (
       select 1 from delivery present
       where present.webhook_event_id = known.webhook_event_id
         and (present.state = 'delivered'
           or (present.attempts >= known.attempts and known.state <> 'delivered'))
     )
     order by webhook_event_id
     on conflict (webhook_event_id) do update
       set state = excluded.state, attempts = excluded.attempts, due_at = excluded.due_at,
         finished_at = excluded.finished_at,
         lease_id = null, lease_owner = null, lease_until = null
       where d.state <> 'delivered'
         and (d.attempts < excluded.attempts or excluded.state = 'delivered')`,
    [
      outcomes.map((o) => o.webhookEventId),
      outcomes.map((o) => o.tenantId),
      outcomes.map((o) => o.issuanceId),
      outcomes.map((o) => o.state),
      outcomes.map((o) => o.attempts),
      outcomes.map((o) => o.dueAt),
    ],
  );
}
