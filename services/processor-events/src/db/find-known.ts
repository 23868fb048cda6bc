import type { EventRecord } from '@tributary/contracts/event-record';
import type { TaxPolicy } from '@tributary/contracts/processor-record';
import type { Item, ItemType } from '../domain/model.ts';
import type { FactPlace, Span } from '../domain/fact-place.ts';
import type { Queryable } from './queryable.ts';

/** What is held of an object, for a reconciliation. */
export type Known = {
  subjectId: string;
  /** Which connection is asked for what it needs. */
  askedOf: string;
  item: Item;
  state: 'reported' | 'waiting' | 'unmatched' | 'ignored';
  reason: string | null;
  facts: KnownFact[];
};

export type KnownFact = { record: EventRecord; taxPolicy: TaxPolicy };

/**
 * By the item's id. An item that came under two customers counts under the one that led to a fact.
 */
export async function findKnown(
  db: Queryable,
  tenantId: string,
  itemIds: readonly string[],
): Promise<Map<string, Known>> {
  const items = await db.query<ItemRow>({
    name: 'find_known_items',
    text: `
      select distinct on (item_id) item_id, subject_id, item, state, reason, last_connection_id
      from item join subject using (subject_id)
      where item_id = any($1::uuid[]) and item.tenant_id = $2
      order by item_id, state = 'reported' desc, cardinality(event_ids) desc, subject_id`,
    values: [itemIds, tenantId],
  });
  const facts = await db.query<{ item_id: string; record: EventRecord; tax_policy: TaxPolicy }>({
    name: 'find_known_facts',
    text: 'select item_id, record, tax_policy from fact where item_id = any($1::uuid[])',
    values: [items.rows.map((row) => row.item_id)],
  });
  const known = new Map(
    items.rows.map(({ item_id, subject_id, last_connection_id, ...row }): [string, Known] => [
      item_id,
      { ...row, subjectId: subject_id, askedOf: last_connection_id, facts: [] },
    ]),
  );
  for (const { item_id, record, tax_policy } of facts.rows) {
    known.get(item_id)?.facts.push({ record, taxPolicy: tax_policy });
  }
  return known;
}

type ItemRow = {
  item_id: string;
  subject_id: string;
  last_connection_id: string;
  item: Item;
  state: Known['state'];
  reason: string | null;
};

/** A fact of ours, as it is looked for at Stripe. */
export type MadeFact = { place: FactPlace; type: ItemType; objectId: string; record: EventRecord };

type Asked = {
  tenantId: string;
  connectionId: string;
  /** When the object was made at Stripe; of refunds the refund. */
  span: Span;
  below: FactPlace | undefined;
  limit: number;
};

/** Purchases by when their invoice or session was made at Stripe, the newest first. */
export async function findPurchasesMade(
  db: Queryable,
  type: 'invoice' | 'checkout-session',
  asked: Asked,
): Promise<MadeFact[]> {
  const { rows } = await db.query<MadeRow>({
    name: 'find_purchases_made',
    text: `
      select i.type, i.item ->> 'objectId' as object_id, i.item_id, f.event_id, f.record,
             i.made_at_seconds as made_at
      from item i
      join fact f on f.item_id = i.item_id and f.subject_id = i.subject_id
      where i.tenant_id = $1 and i.connection_id = $2 and i.type = $9
        and i.made_at_seconds between $3 and $4
        and (i.made_at_seconds, i.item_id, f.event_id)
            < ($5::bigint, $6::uuid, $7::uuid)
      order by made_at desc, i.item_id desc, f.event_id desc
      limit $8`,
    values: [...valuesOf(asked), type],
  });
  return rows.map(fromRow);
}

/** Refunds by when they were made, the newest first. */
export async function findRefundsMade(db: Queryable, asked: Asked): Promise<MadeFact[]> {
  const { rows } = await db.query<MadeRow>({
    name: 'find_refunds_made',
    text: `
      select i.type, i.item ->> 'objectId' as object_id, i.item_id, f.event_id, f.record,
             f.occurred_at_seconds as made_at
      from fact f
      join item i on i.item_id = f.item_id and i.subject_id = f.subject_id
      where f.event_type = 'purchase-refunded'
        and i.tenant_id = $1 and f.connection_id = $2
        and f.occurred_at_seconds between $3 and $4
        and (f.occurred_at_seconds, i.item_id, f.event_id)
            < ($5::bigint, $6::uuid, $7::uuid)
      order by made_at desc, i.item_id desc, f.event_id desc
      limit $8`,
    values: valuesOf(asked),
  });
  return rows.map(fromRow);
}

type MadeRow = {
  type: ItemType;
  object_id: string;
  item_id: string;
  event_id: string;
  /** A bigint, which comes as text. */
  made_at: string;
  record: EventRecord;
};

function valuesOf({ tenantId, connectionId, span, below, limit }: Asked): unknown[] {
  const { madeAt, itemId, eventId } = below ?? aboveAll;
  return [tenantId, connectionId, span.from, span.until, madeAt, itemId, eventId, limit];
}

const largestUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const aboveAll: FactPlace = {
  madeAt: Number.MAX_SAFE_INTEGER,
  itemId: largestUuid,
  eventId: largestUuid,
};

function fromRow({ type, object_id, item_id, event_id, made_at, record }: MadeRow): MadeFact {
  const place = { madeAt: Number(made_at), itemId: item_id, eventId: event_id };
  return { place, type, objectId: object_id, record };
}
