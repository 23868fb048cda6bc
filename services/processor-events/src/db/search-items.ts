import type { Item, ItemType, Need, Verdict } from '../domain/model.ts';
import type { ShownItem } from './shown-item.ts';
import type { Queryable } from './queryable.ts';

export type ItemFilter = {
  state?: Verdict['state'] | undefined;
  reason?: string | undefined;
  type?: ItemType | undefined;
  customerId?: string | undefined;
  connectionId?: string | undefined;
  /** From when an item was first known; `until` is not in it. */
  since?: Date | undefined;
  until?: Date | undefined;
};

/** Where a list was left: behind this one. */
export type ItemPlace = { knownSince: Date; itemId: string };

/** What was known last comes first. */
export async function searchItems(
  db: Queryable,
  tenantId: string,
  filter: ItemFilter,
  { after, limit }: { after?: ItemPlace | undefined; limit: number },
): Promise<ShownItem[]> {
  const { rows } = await db.query<ShownRow>(
    `select ${shownColumns}
     from item
     where ${matching}
       and ($9::timestamptz is null or (known_since, item_id) < ($9, $10::uuid))
     order by known_since desc, item_id desc
     limit $11`,
    [...valuesOf(tenantId, filter), after?.knownSince ?? null, after?.itemId ?? null, limit],
  );
  return rows.map(toShown);
}

const matching = `tenant_id = $1
  and ($2::text is null or state = $2)
  and ($3::text is null or reason = $3)
  and ($4::text is null or type = $4)
  and ($5::text is null or subject_id =
  (select subject_id from subject where subject.tenant_id = $1 and subject = $5))
  and ($6::text is null or connection_id = $6)
  and ($7::timestamptz is null or known_since >= $7)
  and ($8::timestamptz is null or known_since < $8)`;

function valuesOf(tenantId: string, filter: ItemFilter): unknown[] {
  const { state, reason, type, customerId, connectionId, since, until } = filter;
  const values = [state, reason, type, customerId, connectionId, since, until];
  return [tenantId, ...values.map((value) => value ?? null)];
}

export type ItemCount = { state: string; reason: string | null; type: string; count: number };

/** By state, reason and type; of the first `limit` and one more. */
export async function countItems(
  db: Queryable,
  tenantId: string,
  filter: ItemFilter,
  limit: number,
): Promise<{ counts: ItemCount[]; now: Date }> {
  const { rows } = await db.query<ItemCount>(
    `select state, reason, type, count(*)::int as count
     from (select state, reason, type from item where ${matching} limit $9) as found
     group by state, reason, type`,
    [...valuesOf(tenantId, filter), limit + 1],
  );
  const { rows: times } = await db.query<{ now: Date }>('select now() as now');
  return { counts: rows, now: times[0]!.now };
}

/** An item that came under two customers counts under the one that led to a fact. */
export async function findItem(
  db: Queryable,
  tenantId: string,
  itemId: string,
): Promise<{ subjectId: string; shown: ShownItem; needs: Need[] } | undefined> {
  const { rows } = await db.query<ShownRow & { subject_id: string; needs: Need[] }>(
    `select subject_id, needs, ${shownColumns}
     from item
     where tenant_id = $1 and item_id = $2
     order by state = 'reported' desc, known_since desc, subject_id
     limit 1`,
    [tenantId, itemId],
  );
  const row = rows[0];
  return row && { subjectId: row.subject_id, shown: toShown(row), needs: row.needs };
}

const shownColumns =
  'item_id, item, known_since, state, reason, detail, cardinality(event_ids) as facts';

type ShownRow = {
  item_id: string;
  item: Item;
  known_since: Date;
  state: Verdict['state'];
  reason: string | null;
  detail: string | null;
  facts: number;
};

function toShown(row: ShownRow): ShownItem {
  const { object, connectionId, type, objectId } = row.item;
  const currency = 'currency' in object ? object.currency : null;
  return {
    itemId: row.item_id,
    connectionId,
    type,
    objectId,
    customerId: object.customerId,
    state: row.state,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.detail !== null && { detail: row.detail }),
    amount: amountOf(object),
    currency: currency?.toUpperCase() ?? null,
    createdAt: 'createdAt' in object ? utcOfSeconds(object.createdAt) : null,
    knownSince: row.known_since.toISOString(),
    facts: row.facts,
  };
}

function amountOf(object: Item['object']): number | null {
  switch (object.object) {
    case 'invoice':
      return object.amountPaid;
    case 'checkout-session':
      return object.amountTotal;
    case 'charge':
      return object.amountRefunded;
    case 'unreadable':
      return null;
    default:
      return object satisfies never;
  }
}

/** RFC 3339; null when it is beyond all years. */
export function utcOfSeconds(seconds: number): string | null {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? null : `${date.toISOString().slice(0, -5)}Z`;
}
