import { countLimit } from '@tributary/contracts/admin/answer-fields';
import type { deadLetterRoutes } from '@tributary/contracts/admin/dead-letters';
import type { FilterOf } from '@tributary/contracts/admin/query-parameters';
import type {
  DeadLetterActionRecord,
  DeadLetterRecord,
} from '@tributary/contracts/dead-letter-record';
import { type Conditions, createConditions } from './conditions.ts';
import { addPeriod, type Listed, type Page, pageClause, toListed } from './paging.ts';
import type { Queryable } from './queryable.ts';

export type DeadLetterFilter = FilterOf<(typeof deadLetterRoutes)['listDeadLetters']['query']>;
export type DeadLetterStatus = NonNullable<DeadLetterFilter['status']>;

/** A record that was put aside, whoever did; never with its value, which may hold anything. */
export type DeadLetterItem = {
  itemId: string;
  status: DeadLetterStatus;
  originAt: string;
  origin: DeadLetterRecord['origin'];
  cutFromBytes: number | undefined;
  readers: { reader: string; reason: string; detail: string; putAsideAt: string }[];
  actions: DeadLetterActionRecord[];
};

const columns = `item_id as "itemId", origin_at as "originAt", record`;
type Row = {
  itemId: string;
  originAt: string;
  record: Pick<DeadLetterRecord, 'origin' | 'cutFromBytes'>;
};

/** By the time of the record itself. */
export async function listDeadLetters(
  db: Queryable,
  filter: DeadLetterFilter,
  page: Page,
): Promise<Listed<DeadLetterItem>> {
  const conditions = createConditions();
  addFilter(conditions, filter);
  const end = pageClause(conditions, page, { at: 'origin_at', id: 'item_id' });
  const { rows } = await db.query<Row>(
    `select ${columns} from dead_letter where ${conditions.where()} ${end}`,
    conditions.values,
  );
  const { items, next } = toListed(rows, page.limit, ({ originAt, itemId }) => ({
    at: originAt,
    id: itemId,
  }));
  return { items: await withHistory(db, items), next };
}

function addFilter(conditions: Conditions, filter: DeadLetterFilter): void {
  if (filter.status !== undefined) conditions.add(statusConditions[filter.status]);
  conditions.equal('topic', filter.topic);
  for (const column of ['reader', 'reason'] as const) {
    const wanted = filter[column];
    if (wanted === undefined) continue;
    conditions.add(`exists (select 1 from dead_letter_reader r
      where r.item_id = dead_letter.item_id and r.${column} = ${conditions.value(wanted)})`);
  }
  addPeriod(conditions, 'origin_at', filter, (time) => time);
}

/** By each status, topic, reader and reason, of those that the list would find first. */
export async function countDeadLetters(
  db: Queryable,
  filter: DeadLetterFilter,
): Promise<{ total: number; groups: { by: DeadLetterGroup; value: string; count: number }[] }> {
  const conditions = createConditions();
  addFilter(conditions, filter);
  const { rows } = await db.query<{ by: DeadLetterGroup | null; value: string; count: number }>(
    `with found as materialized (
       select item_id, topic from dead_letter where ${conditions.where()}
       limit ${countLimit + 1}
     ), reader as (
       select item_id, reader, reason from found join dead_letter_reader using (item_id)
     )
     select null as by, '' as value, count(*)::int as count from found
     union all select 'topic', topic, count(*)::int from found group by topic
     union all select 'reader', reader, count(distinct item_id)::int from reader group by reader
     union all select 'reason', reason, count(distinct item_id)::int from reader group by reason
     union all select 'status', status, count(*)::int from (
       select case ${(['open', 'redriven', 'discarded'] as const)
         .map((status) => `when ${statusConditions[status]} then '${status}'`)
         .join(' ')} end as status
       from found as dead_letter) as stood group by status`,
    conditions.values,
  );
  const groups = rows.flatMap(({ by, value, count }) =>
    by === null ? [] : [{ by, value, count }],
  );
  return { total: rows.find(({ by }) => by === null)?.count ?? 0, groups };
}

export type DeadLetterGroup = 'status' | 'topic' | 'reader' | 'reason';

export async function findDeadLetter(
  db: Queryable,
  itemId: string,
): Promise<(DeadLetterItem & { value: string | null }) | undefined> {
  const { rows } = await db.query<Row & { value: string | null }>(
    `select ${columns}, value from dead_letter where item_id = $1`,
    [itemId],
  );
  const [item] = await withHistory(db, rows);
  return item && { ...item, value: rows[0]?.value ?? null };
}

/** Those that nobody has done anything about. */
export async function countOpenDeadLetters(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from dead_letter where ${statusConditions.open}`,
  );
  return rows[0]?.count ?? 0;
}

const acted = (type?: 'redriven') =>
  `exists (select 1 from dead_letter_action a where a.item_id = dead_letter.item_id
     ${type === undefined ? '' : `and a.type = '${type}'`})`;

const statusConditions: Record<DeadLetterStatus, string> = {
  open: `not ${acted()}`,
  redriven: acted('redriven'),
  discarded: `${acted()} and not ${acted('redriven')}`,
};

async function withHistory(db: Queryable, rows: readonly Row[]): Promise<DeadLetterItem[]> {
  if (rows.length === 0) return [];
  const ids = [rows.map(({ itemId }) => itemId)];
  const readers = await db.query<{ itemId: string; record: DeadLetterItem['readers'][number] }>(
    `select item_id as "itemId", record from dead_letter_reader where item_id = any($1)
     order by put_aside_at, reader collate "C"`,
    ids,
  );
  const actions = await db.query<{ itemId: string; record: DeadLetterActionRecord }>(
    'select item_id as "itemId", record from dead_letter_action where item_id = any($1)',
    ids,
  );
  return rows.map(({ itemId, originAt, record: { origin, cutFromBytes } }) => {
    const of = ({ itemId: id }: { itemId: string }) => id === itemId;
    const done = actions.rows.filter(of).map(({ record }) => record);
    done.sort((a, b) => (a.at < b.at ? -1 : 1));
    return {
      itemId,
      status: statusOf(done),
      originAt,
      origin,
      cutFromBytes,
      readers: readers.rows.filter(of).map(({ record }) => record),
      actions: done,
    };
  });
}

function statusOf(actions: readonly DeadLetterActionRecord[]): DeadLetterStatus {
  if (actions.some(({ type }) => type === 'redriven')) return 'redriven';
  return actions.length === 0 ? 'open' : 'discarded';
}

/** Until the end of the transaction: nobody else acts on this item. */
export async function lockDeadLetter(tx: Queryable, itemId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('dead-letter ' || $1, 0))`, [
    itemId,
  ]);
}
