import type { Queryable } from './queryable.ts';

/** Something became due, or may be sent again: whoever sends should look. A hint, never needed. */
export async function notifyDue(db: Queryable): Promise<void> {
  await db.query(`select pg_notify($1::text || current_schema(), '')`, [dueChannelPrefix]);
}

/**
 * Begins the channel's name; the rest is the schema, so that deployments in one database stay
 * apart.
 */
export const dueChannelPrefix = 'webhook_due_';
