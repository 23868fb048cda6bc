import type { Queryable } from './queryable.ts';

/** Whether the projection has this event: a repeat of it needs no further record. */
export async function findSeen(
  db: Queryable,
  { connectionId, processorEventId }: { connectionId: string; processorEventId: string },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'find_seen',
    text: 'select from seen where connection_id = $1 and processor_event_id = $2 limit 1',
    values: [connectionId, processorEventId],
  });
  return rowCount === 1;
}
