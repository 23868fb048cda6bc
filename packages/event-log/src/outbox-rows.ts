import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Tx } from '@tributary/runtime/postgres';
import type { Entry } from './appender.ts';
import type { TraceHeaders } from './record-traces.ts';

/**
 * The rows of an outbox. Each has the records that one `enqueue` of a transaction wants on the log:
 * much alike, so that together they take little.
 */
export type OutboxRow = RowId & { entries: readonly Entry[] };

/**
 * A database that falls back gives ids a second time (decision 25); the time tells the rows apart.
 */
export type RowId = { id: string; written_at: string };

type Db = Pick<Tx, 'query'>;

/** The columns that hold records, as {@link readEntries} takes them. */
const entryColumns = 'records, topic, key, value';
/** A row of the release before has one record, in columns of its own. */
type EntryColumns = { records: Buffer | null } & Entry;

/** Says whether it is there for certain once the transaction is committed. */
export async function insertRow(
  tx: Db,
  table: string,
  entries: readonly Entry[],
): Promise<(RowId & { certain: boolean }) | undefined> {
  const { rows } = await tx.query<RowId & { certain: boolean }>({
    name: `enqueue_${table}`,
    // A row that was written after a savepoint has the number of a subtransaction.
    text: `insert into ${identifier(table)} (records, record_count, keys)
           values ($1, $2, $3::text[])
           returning id, created_at::text as written_at,
             xmin = pg_current_xact_id()::xid as certain`,
    values: [packEntries(entries), entries.length, [...new Set(entries.map(({ key }) => key))]],
  });
  return rows[0];
}

/** Those that this very transaction has written, in order. */
export async function readOwnRows(tx: Db, table: string): Promise<Entry[]> {
  // `now()` is when a transaction began, to the microsecond. `xmin` would not do: it is another one
  // after a savepoint.
  const { rows } = await tx.query<EntryColumns>(
    `select ${entryColumns} from ${identifier(table)} where created_at = now() order by id`,
  );
  return rows.flatMap(readEntries);
}

export type LeftRows = {
  /** Rows behind this one. */
  after: string;
  /** Ids of rows that the caller sends already. */
  except: readonly string[];
  /** Ids of rows that the caller knows to be left, however young. */
  known: readonly string[];
  /**
   * By the database's clock, either way: it may be another server's than when they were written.
   */
  olderThanMs: number;
  /** With no more records than that together; one row at least. */
  maxRecords: number;
};

/** The first rows of an outbox that were left there. */
export async function readLeftRows(
  db: Db,
  table: string,
  { after, except, known, olderThanMs, maxRecords }: LeftRows,
): Promise<OutboxRow[]> {
  const { rows } = await db.query<RowId & EntryColumns>(
    `select id, created_at::text as written_at, ${entryColumns} from (
       select *, sum(record_count) over (order by id) - record_count as before
       from ${identifier(table)}
       where id > $1 and id <> all($2::bigint[]) and (
         id = any($3::bigint[])
         or abs(extract(epoch from clock_timestamp() - created_at)) * 1000 > $4)
       order by id limit $5) as page
     where before < $5 order by id`,
    [after, except, known, olderThanMs, maxRecords],
  );
  return rows.map((row) => ({ ...row, entries: readEntries(row) }));
}

/** What the log has of a row is not sent again. */
export async function keepOnly(
  db: Db,
  table: string,
  { id, written_at }: RowId,
  entries: readonly Entry[],
): Promise<void> {
  await db.query(
    `update ${identifier(table)} set records = $3, record_count = $4
     where id = $1 and created_at = $2::timestamptz`,
    [id, written_at, packEntries(entries), entries.length],
  );
}

export async function removeRows(db: Db, table: string, rows: readonly RowId[]): Promise<void> {
  if (rows.length === 0) return;
  await db.query({
    name: `remove_${table}`,
    text: `delete from ${identifier(table)} as o
           using unnest($1::bigint[], $2::timestamptz[]) as a (id, written_at)
           where o.id = a.id and o.created_at = a.written_at`,
    values: [rows.map(({ id }) => id), rows.map(({ written_at }) => written_at)],
  });
}

/** Records, and the age of the oldest row by the database's clock; 0 when there is none. */
export type OutboxSize = { records: number; oldestSeconds: number };

export async function measureOutbox(db: Db, table: string): Promise<OutboxSize> {
  const { rows } = await db.query<{ records: string; oldest: number }>(
    `select coalesce(sum(record_count), 0) as records,
       greatest(0, coalesce(
         extract(epoch from clock_timestamp() - min(created_at)), 0))::float8 as oldest
     from ${identifier(table)}`,
  );
  return { records: Number(rows[0]?.records), oldestSeconds: rows[0]?.oldest ?? 0 };
}

export function packEntries(entries: readonly Entry[]): Buffer {
  const plain = entries.map(({ topic, key, value, headers }): Plain =>
    headers ? [topic, key, value, headers] : [topic, key, value],
  );
  return zstdCompressSync(JSON.stringify(plain), fast);
}

export function unpackEntries(packed: Buffer): Entry[] {
  const plain = JSON.parse(zstdDecompressSync(packed).toString()) as Plain[];
  return plain.map(([topic, key, value, headers]) => ({
    ...{ topic, key, value },
    ...(headers && { headers }),
  }));
}

/** A process of the release before passes over the headers. */
type Plain = [topic: string, key: string, value: string | null, headers?: TraceHeaders];

/** A higher level takes longer, and gains nothing on records. */
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

function readEntries({ records, topic, key, value }: EntryColumns): Entry[] {
  return records === null ? [{ topic, key, value }] : unpackEntries(records);
}

function identifier(table: string): string {
  if (!/^[a-z_]+$/.test(table)) throw new Error(`not a table name: ${table}`);
  return table;
}
