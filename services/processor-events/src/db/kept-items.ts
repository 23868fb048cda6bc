import type { Tx } from '@tributary/runtime/postgres';
import type { Item, Need, Verdict } from '../domain/model.ts';
import { isOpen, type KeptItem } from '../domain/fold-subject.ts';

/**
 * Reads, for these subjects, items that are open, these items, and charges that were evaluated by
 * one of these readings. What a batch can bear on is among them.
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

/** Items of subjects that are locked; each once. */
export async function putItems(
  tx: Tx,
  items: readonly { subjectId: string; kept: KeptItem }[],
): Promise<void> {
  if (items.length === 0) return;
  const column = <T>(value: (kept: KeptItem) => T) => items.map(({ kept }) => value(kept));
  await tx.query({
    name: 'put_items',
    text: putItemsText,
    values: [
      items.map(({ subjectId }) => subjectId),
      column(({ item }) => item.itemId),
      column(({ item }) => item.tenantId),
      column(({ item }) => item.connectionId),
      column(({ item }) => item.type),
      column(({ item }) => JSON.stringify(item)),
      column(({ item }) => madeAtSeconds(item)),
      column(({ knownSince }) => knownSince),
      column(({ state }) => state),
      column(({ reason }) => reason),
      column(({ detail }) => detail),
      column(({ needs }) => JSON.stringify(needs)),
      column(({ asks }) => JSON.stringify(asks)),
      column(({ eventIds }) => JSON.stringify(eventIds)),
      column(isOpen),
    ],
  });
}

// Arrays of arrays do not unnest into rows of arrays: what an item has several of comes as JSON.
const putItemsText = `
  insert into item (subject_id, item_id, tenant_id, connection_id, type, item, made_at_seconds,
    known_since, state, reason, detail, needs, asks, event_ids, open)
  select subject_id, item_id, tenant_id, connection_id, type, item, made_at_seconds,
    known_since, state, reason, detail, needs,
    array(select json_array_elements_text(asks)),
    array(select json_array_elements_text(event_ids)::uuid),
    open
  from unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::json[], $7::bigint[],
    $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::json[], $13::json[], $14::json[],
    $15::boolean[])
    as row (subject_id, item_id, tenant_id, connection_id, type, item, made_at_seconds,
      known_since, state, reason, detail, needs, asks, event_ids, open)
  on conflict (subject_id, item_id) do update set
    connection_id = excluded.connection_id, item = excluded.item,
    made_at_seconds = excluded.made_at_seconds, state = excluded.state,
    reason = excluded.reason, detail = excluded.detail, needs = excluded.needs,
    asks = excluded.asks, event_ids = excluded.event_ids, open = excluded.open`;

/** A time beyond all years fits no bigint; it is none. */
function madeAtSeconds({ object }: Item): number | null {
  if (object.object === 'unreadable') return null;
  return Number.isSafeInteger(object.createdAt) ? object.createdAt : null;
}
