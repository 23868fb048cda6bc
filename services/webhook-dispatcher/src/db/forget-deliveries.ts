import type { Tx } from '@tributary/runtime/postgres';
import type { Queryable } from './queryable.ts';

// Deliveries whose time is over go in two transactions. First they are noted as forgotten, which
// is committed before their rows go: whoever reads their issuance anew meets the row or the note,
// never neither. Killed in between, the next round finds the same rows.

/**
 * Notes some that were delivered more than so many days ago, whatever was tried before, and gives
 * their ids. What was given up is kept: it can be sent again.
 */
export async function markForgotten(
  tx: Tx,
  { days, limit }: { days: number; limit: number },
): Promise<string[]> {
  // As with attempts: the planner takes its index for worse than it is.
  await tx.query('set local enable_seqscan = off');
  const { rows } = await tx.query<{ id: string }>(
    `with old as (
       select webhook_event_id, tenant_id from delivery
       where issued_at < now() - $1::int * interval '1 day' and state = 'delivered'
         and finished_at < now() - $1::int * interval '1 day'
       limit $2 for update skip locked
     ), noted as (
       insert into forgotten (webhook_event_id, tenant_id)
       select webhook_event_id, tenant_id from old order by webhook_event_id
       on conflict (webhook_event_id) do nothing
     )
     select webhook_event_id as id from old`,
    [days, limit],
  );
  return rows.map(({ id }) => id);
}

/** Deletes all that is kept of these; says how many deliveries were. */
export async function deleteForgotten(tx: Tx, ids: readonly string[]): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `with locked as (
       select webhook_event_id from delivery
       where webhook_event_id = any($1::uuid[]) and state = 'delivered'
       order by webhook_event_id for update
     ), resends as (
       delete from resend using locked where resend.webhook_event_id = locked.webhook_event_id
     ), attempts as (
       delete from attempt using locked where attempt.webhook_event_id = locked.webhook_event_id
     ), deliveries as (
       delete from delivery using locked
       where delivery.webhook_event_id = locked.webhook_event_id
       returning 1
     )
     select count(*)::int as count from deliveries`,
    [ids],
  );
  return rows[0]?.count ?? 0;
}

/** Whether this tenant had such a delivery, of which only the note is kept. */
export async function isForgotten(
  db: Queryable,
  tenantId: string,
  webhookEventId: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from forgotten where webhook_event_id = $1 and tenant_id = $2',
    [webhookEventId, tenantId],
  );
  return rowCount !== 0;
}

/**
 * Which of these are only known to have been delivered. One that is noted and still has its row is
 * not: whoever forgets it may have been killed in between, and it may have been asked for since.
 * Such a row is locked, so that it does not go while facts are applied to it.
 */
export async function findForgotten(
  tx: Tx,
  webhookEventIds: readonly string[],
): Promise<Set<string>> {
  const noted = await tx.query<{ id: string }>(
    'select webhook_event_id as id from forgotten where webhook_event_id = any($1::uuid[])',
    [webhookEventIds],
  );
  const ids = noted.rows.map(({ id }) => id);
  if (ids.length === 0) return new Set();
  const kept = await tx.query<{ id: string }>(
    `select webhook_event_id as id from delivery where webhook_event_id = any($1::uuid[])
     order by webhook_event_id for update`,
    [ids],
  );
  const keptIds = new Set(kept.rows.map(({ id }) => id));
  return new Set(ids.filter((id) => !keptIds.has(id)));
}

/** Deletes rows that were made of what is forgotten; gives their ids. */
export async function removeForgotten(
  tx: Tx,
  webhookEventIds: readonly string[],
): Promise<Set<string>> {
  if (webhookEventIds.length === 0) return new Set();
  const { rows } = await tx.query<{ id: string }>({
    name: 'remove_forgotten',
    text: `delete from delivery d using forgotten f
           where d.webhook_event_id = any($1::uuid[]) and f.webhook_event_id = d.webhook_event_id
           returning d.webhook_event_id as id`,
    values: [webhookEventIds],
  });
  return new Set(rows.map(({ id }) => id));
}
