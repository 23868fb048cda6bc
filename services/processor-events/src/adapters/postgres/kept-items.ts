import type { Tx } from '@tributary/runtime/postgres';
import type { Item, Need, Verdict } from '../../domain/model.ts';
import { isOpen, type KeptItem } from '../../fold-subject.ts';

/**
 * Of these subjects: items that are open, these items, and charges that were judged by one of these
 * readings. What a batch can bear on is among them.
 */
export async function readItems(
  tx: Tx,
  asked: {
    subjectIds: readonly string[];
    itemIds: readonly string[];
    readingKeys: readonly string[];
  },
): Promise<{ subjectId: string; kept: KeptItem }[]> {
  if (asked.subjectIds.length === 0) return [];
  const { rows } = await tx.query<ItemRow>(
    `select subject_id, item, known_since, state, reason, detail, needs, asks, event_ids
     from item
     where subject_id = any($1::bigint[])
       and (open or item_id = any($2::uuid[]) or (type = 'charge' and asks && $3::text[]))`,
    [asked.subjectIds, asked.itemIds, asked.readingKeys],
  );
  return rows.map((row) => ({
    subjectId: row.subject_id,
    kept: {
      item: row.item,
      knownSince: row.known_since.toISOString(),
      state: row.state,
      reason: row.reason,
      detail: row.detail,
      needs: row.needs,
      asks: row.asks,
      eventIds: row.event_ids,
    },
  }));
}

type ItemRow = {
  subject_id: string;
  item: Item;
  known_since: Date;
  state: Verdict['state'];
  reason: string | null;
  detail: string | null;
  needs: Need[];
  asks: string[];
  event_ids: string[];
};

export async function putItems(
  tx: Tx,
  items: readonly { subjectId: string; kept: KeptItem }[],
): Promise<void> {
  for (const { subjectId, kept } of items) await putItem(tx, subjectId, kept);
}

/** Arrays of arrays do not unnest into rows of them, so each has a statement; it is planned once. */
async function putItem(tx: Tx, subjectId: string, kept: KeptItem): Promise<void> {
  const { item } = kept;
  await tx.query({
    name: 'put_item',
    text: `insert into item (subject_id, item_id, tenant_id, connection_id, type, item, made_at_seconds,
             known_since, state, reason, detail, needs, asks, event_ids, open)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
           on conflict (subject_id, item_id) do update set
             connection_id = excluded.connection_id, item = excluded.item,
             made_at_seconds = excluded.made_at_seconds, state = excluded.state,
             reason = excluded.reason, detail = excluded.detail, needs = excluded.needs,
             asks = excluded.asks, event_ids = excluded.event_ids, open = excluded.open`,
    values: [
      subjectId,
      item.itemId,
      item.tenantId,
      item.connectionId,
      item.type,
      JSON.stringify(item),
      madeAtSeconds(item),
      kept.knownSince,
      kept.state,
      kept.reason,
      kept.detail,
      JSON.stringify(kept.needs),
      kept.asks,
      kept.eventIds,
      isOpen(kept),
    ],
  });
}

/** A time beyond all years fits no bigint; it is none. */
function madeAtSeconds({ object }: Item): number | null {
  if (object.object === 'unreadable') return null;
  return Number.isSafeInteger(object.createdAt) ? object.createdAt : null;
}
