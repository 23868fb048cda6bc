import type pg from 'pg';

export type WalCosts = {
  /** Without images of whole pages. */
  bytes: number;
  imageBytes: number;
  /** Transactions that wrote anything, in all databases. */
  commits: number;
  /** By schema, those that wrote there; one that wrote in two schemas counts in both. */
  transactions: Record<string, number>;
  relations: RelationWal[];
};

export type RelationWal = {
  /** `schema.name`; of what lies outside of the schemas of services: `toast`, `other`. */
  name: string;
  isIndex: boolean;
  bytes: number;
  imageBytes: number;
  /** Entries put into an index. */
  insertions: number;
};

/**
 * Exact: every record between two places is looked at. An entry comes into a B-tree by a record of
 * its own, into a leaf (`INSERT_LEAF`), into a list of equal keys (`INSERT_POST`), or with the
 * split of a leaf; upper levels and page images are no entries.
 */
export async function readWalCosts(
  db: pg.ClientBase,
  { from, to }: { from: string; to: string },
): Promise<WalCosts> {
  const { rows } = await db.query<{ [K in keyof Row]: Row[K] }>(
    `with record as materialized (
       select resource_manager, record_type, record_length - fpi_length as bytes, fpi_length,
         (resource_manager = 'Btree' and (record_type in ('INSERT_LEAF', 'INSERT_POST')
           or (record_type in ('SPLIT_L', 'SPLIT_R') and description ~ 'level:? 0\\M'))) as is_entry,
         (resource_manager = 'Transaction' and record_type = 'COMMIT') as is_commit,
         substring(block_ref from 'rel \\d+/(\\d+)/\\d+')::oid as database,
         substring(block_ref from 'rel \\d+/\\d+/(\\d+)')::oid as file
       from pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn)
     )
     select case when file is null then 'other'
         when datname is distinct from current_database() then 'other'
         when nspname = 'pg_toast' then 'toast'
         when nspname in ('pg_catalog', 'information_schema') or nspname is null then 'other'
         else nspname || '.' || relname end as name,
       coalesce(relkind = 'i' and nspname <> 'pg_toast', false) as "isIndex",
       sum(bytes)::float8 as bytes, sum(fpi_length)::float8 as "imageBytes",
       sum(is_entry::int)::float8 as insertions, sum(is_commit::int)::float8 as commits
     from record
     left join pg_database on pg_database.oid = database
     left join pg_class on relfilenode = file and datname = current_database()
     left join pg_namespace on pg_namespace.oid = relnamespace
     group by 1, 2 order by bytes desc`,
    [from, to],
  );
  const wrote = await db.query<{ schema: string; count: number }>(
    `select nspname as schema, count(distinct xid::text)::int as count
     from pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn)
     join pg_class on relfilenode = substring(block_ref from 'rel \\d+/\\d+/(\\d+)')::oid
     join pg_namespace on pg_namespace.oid = relnamespace
     where xid::text <> '0' and nspname !~ '^(pg_|information_schema)'
       and substring(block_ref from 'rel \\d+/(\\d+)/\\d+')::oid =
         (select oid from pg_database where datname = current_database())
     group by 1 order by 1`,
    [from, to],
  );
  const relations = rows.filter(({ name }) => name !== 'other');
  const total = (of: (row: Row) => number) => rows.reduce((sum, row) => sum + of(row), 0);
  const insertions = total((row) => (row.isIndex ? row.insertions : 0));
  if (insertions === 0) throw new Error(`no entry of any index between ${from} and ${to}`);
  return {
    bytes: total((row) => row.bytes),
    imageBytes: total((row) => row.imageBytes),
    commits: total((row) => row.commits),
    transactions: Object.fromEntries(wrote.rows.map(({ schema, count }) => [schema, count])),
    relations,
  };
}

type Row = RelationWal & { commits: number };
