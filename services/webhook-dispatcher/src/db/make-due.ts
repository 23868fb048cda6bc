import type { Tx } from '@tributary/runtime/postgres';
import { notifyDue } from './notify-due.ts';
import { touchEndpoints } from './touch-endpoints.ts';

/**
 * Makes a pending delivery due now, unless it is being sent: then that is now. Says false when it
 * is not pending any more.
 *
 * No fact tells this: a database that is rebuilt before it was sent has the time of the schedule.
 */
export async function makeDue(tx: Tx, webhookEventId: string): Promise<boolean> {
  const { rows } = await tx.query<{ tenant_id: string; due_at: Date }>(
    `update delivery
     set due_at = case when claimed_by is null then least(due_at, now()) else due_at end
     where webhook_event_id = $1 and state = 'pending'
     returning tenant_id, due_at`,
    [webhookEventId],
  );
  const row = rows[0];
  if (!row) return false;
  await touchEndpoints(tx, [{ tenantId: row.tenant_id, nextAt: row.due_at }]);
  await notifyDue(tx);
  return true;
}
