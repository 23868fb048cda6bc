import type { Tx } from '@tributary/runtime/postgres';

export const changesChannel = 'tributary_read_model_changes';

/**
 * Told to whoever listens, once the transaction is committed: its rows can be seen then. The schema
 * stands in front, since all read models of a database have one channel.
 */
export async function announceChanges(tx: Tx, texts: readonly string[]): Promise<void> {
  if (texts.length === 0) return;
  await tx.query({
    name: 'announce_changes',
    text: `select pg_notify('${changesChannel}', current_schema() || ' ' || change)
           from unnest($1::text[]) as change`,
    values: [texts],
  });
}

/** What {@link announceChanges} has put together. A schema of ours has no blank in its name. */
export function readAnnouncement(payload: string): { schema: string; text: string } {
  const end = payload.indexOf(' ');
  return { schema: payload.slice(0, end), text: payload.slice(end + 1) };
}
