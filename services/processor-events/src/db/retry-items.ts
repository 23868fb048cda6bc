import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { Item, Need } from '../domain/model.ts';
import type { Queryable } from './queryable.ts';

export type RetryPlace = { subjectId: string; itemId: string };

/** Nothing can be asked about the other mode. */
const isRetriable = `state in ('waiting', 'unmatched') and reason is distinct from 'other-mode'`;

/** Who asks for all, page by page, gets none twice. */
const notLately = `(retried_at is null or retried_at < now() - interval '10 minutes')`;

/** What waits or is unmatched and was not retried lately, the longest known first. */
export async function findRetriable(
  db: Queryable,
  tenantId: string,
  { reason, limit }: { reason?: string | undefined; limit: number },
): Promise<RetryPlace[]> {
  const { rows } = await db.query<{ subject_id: string; item_id: string }>(
    `select subject_id, item_id from item
     where tenant_id = $1 and ${isRetriable} and ${notLately}
       and ($2::text is null or reason = $2)
     order by known_since, item_id
     limit $3`,
    [tenantId, reason ?? null, limit],
  );
  return rows.map((row) => ({ subjectId: row.subject_id, itemId: row.item_id }));
}

/**
 * Asks at once for what these items need; of one that needs nothing, for itself, as this release
 * may make more of it. Says how many there were to ask for. Subjects are held as a batch of the log
 * holds them, so what is asked for is what is needed now.
 */
export async function retryItems(tx: Tx, places: readonly RetryPlace[]): Promise<number> {
  await tx.query(
    `select from subject where subject_id = any($1::bigint[])
     order by tenant_id, subject
     for no key update`,
    [places.map(({ subjectId }) => subjectId)],
  );
  const { rows } = await tx.query<RetriedRow>(
    `update item set retried_at = now()
     from subject
     where (item.subject_id, item_id) in (select * from unnest($1::bigint[], $2::uuid[]))
       and subject.subject_id = item.subject_id and ${isRetriable}
     returning item.subject_id, item, needs, last_connection_id`,
    [places.map(({ subjectId }) => subjectId), places.map(({ itemId }) => itemId)],
  );
  await askNow(tx, uniqueOf(rows.flatMap(askedOf)));
  return rows.length;
}

type RetriedRow = {
  subject_id: string;
  item: Item;
  needs: Need[];
  last_connection_id: string;
};

type Asked = Need & { subjectId: string; tenantId: string; subject: string; connectionId: string };

function askedOf(row: RetriedRow): Asked[] {
  const { subject_id: subjectId, item, needs, last_connection_id: connectionId } = row;
  const { tenantId, subject, type, objectId: id } = item;
  const wanted: Need[] = needs.length > 0 ? needs : [{ type, id }];
  return wanted.map((need) => ({ ...need, subjectId, tenantId, subject, connectionId }));
}

/** Where several share one place, keeps the one that wants the youngest answer. */
function uniqueOf(asked: readonly Asked[]): Asked[] {
  const byPlace = new Map<string, Asked>();
  for (const need of asked) {
    const place = `${need.subjectId} ${need.type}:${need.id}`;
    const other = byPlace.get(place);
    if (!other || (need.since ?? '') > (other.since ?? '')) byPlace.set(place, need);
  }
  return [...byPlace.values()];
}

async function askNow(tx: Tx, asked: readonly Asked[]): Promise<void> {
  if (asked.length === 0) return;
  await tx.query(
    `insert into need (subject_id, type, id, tenant_id, subject, connection_id, since, due_at,
       asked_for)
     select subject_id, type, id, tenant_id, subject, connection_id, since, now(), true
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
       $7::text[]) as asked (subject_id, type, id, tenant_id, subject, connection_id, since)
     on conflict (subject_id, type, id) do update set
       asked_for = true, answered = false, due_at = least(need.due_at, excluded.due_at), not_before = null,
       since = greatest(need.since, excluded.since)`,
    columnsOf(asked, 'subjectId', 'type', 'id', 'tenantId', 'subject', 'connectionId', 'since'),
  );
}
