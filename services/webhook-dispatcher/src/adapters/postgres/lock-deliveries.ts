import type { Tx } from '@tributary/runtime/postgres';

/** Locks rows in one order for all writers; to be followed by the statement that changes them. */
export async function lockDeliveries(tx: Tx, webhookEventIds: readonly string[]): Promise<void> {
  await tx.query(
    `select webhook_event_id from delivery
     where webhook_event_id = any($1::text[])
     order by webhook_event_id
     for update`,
    [webhookEventIds],
  );
}
