import type { Tx } from '@tributary/runtime/postgres';
import { notifyDue } from './notify-due.ts';
import { touchEndpoints } from './touch-endpoints.ts';

/**
 * Makes pending deliveries due now, unless they are being sent: then that is now. Says how many of
 * them are pending still.
 *
 * No fact tells this: a database that is rebuilt before it was sent has the time of the schedule.
 */
export async function makeDue(tx: Tx, webhookEventIds: readonly string[]): Promise<number> {
  const { rows } = await tx.query<{ tenant_id: string; due_at: Date }>(
    `update delivery
     set due_at = case when claimed_by is null then least(due_at, now()) else due_at end
     where webhook_event_id in (
       select webhook_event_id from delivery
       where webhook_event_id = any($1::uuid[]) and state = 'pending'
       order by webhook_event_id for update)
     returning tenant_id, due_at`,
    [webhookEventIds],
  );
  if (rows.length === 0) return 0;
  const earliest = new Map<string, Date>();
  for (const { tenant_id: tenantId, due_at: dueAt } of rows) {
    const known = earliest.get(tenantId);
    if (known === undefined || dueAt < known) earliest.set(tenantId, dueAt);
  }
  await touchEndpoints(
    tx,
    [...earliest].map(([tenantId, nextAt]) => ({ tenantId, nextAt })),
  );
  await notifyDue(tx);
  return rows.length;
}
