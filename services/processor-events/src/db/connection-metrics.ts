import type { ConnectionStatus } from './shown-item.ts';
import type { Queryable } from './queryable.ts';

/** How many items of a connection are in each state. */
export async function countItems(
  db: Queryable,
  connectionId: string,
): Promise<ConnectionStatus['items']> {
  const { rows } = await db.query<{ state: keyof ConnectionStatus['items']; count: string }>(
    'select state, count(*) as count from item where connection_id = $1 group by state',
    [connectionId],
  );
  const items = { reported: 0, waiting: 0, unmatched: 0, ignored: 0 };
  for (const { state, count } of rows) items[state] = Number(count);
  return items;
}

/**
 * Since when and why a connection does not answer: a question that was refused, which only people
 * can put right, or else a long row of failures; null when neither.
 */
export async function readFailing(
  db: Queryable,
  connectionId: string,
): Promise<ConnectionStatus['failing']> {
  const { rows } = await db.query<{ since: Date; detail: string | null }>(
    `select since, detail from (
       select 1 as turn, refused_at as since, last_error as detail
       from need where connection_id = $1 and refused_at is not null
       union all
       select 2, failing_since, failing_detail
       from connection where connection_id = $1 and failing_since is not null
     ) as failures
     order by turn, since
     limit 1`,
    [connectionId],
  );
  const row = rows[0];
  return row ? { since: row.since.toISOString(), detail: row.detail ?? '' } : null;
}
