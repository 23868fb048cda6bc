import type pg from 'pg';

export type WalCosts = {
  /** Without images of whole pages. */
  bytes: number;
  imageBytes: number;
  /** Transactions that wrote anything, in all databases. */
  commits: number;
  /** How many transactions wrote in just these schemas. */
  wrote: Wrote[];
  relations: RelationWal[];
};

type Wrote = { schemas: string[]; count: number };

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
  // Once for everything: to decode the log is what takes its time.
  const { rows: found } = await db.query<{ costs: Row[]; wrote: Wrote[] | null }>(
    `with record as materialized (
       select xid::text as xid, resource_manager, record_type, fpi_length,
         record_length - fpi_length as bytes,
         (resource_manager = 'Btree' and (record_type in ('INSERT_LEAF', 'INSERT_POST')
           or (record_type in ('SPLIT_L', 'SPLIT_R') and description ~ 'level:? 0\\M'))) as is_entry,
         (resource_manager = 'Transaction' and record_type = 'COMMIT') as is_commit,
         regexp_match(block_ref, 'rel \\d+/(\\d+)/(\\d+)') as place
       from pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn)
     ),
     relation as materialized (
       select relfilenode as file, nspname, relname, relkind from pg_class
       join pg_namespace on pg_namespace.oid = relnamespace
     ),
     placed as materialized (
       select record.*, datname, nspname, relname, relkind from record
       left join pg_database on pg_database.oid = place[1]::oid
       left join relation on file = place[2]::oid and datname = current_database()
     ),
     cost as (
       select case when datname is distinct from current_database() then 'other'
           when nspname = 'pg_toast' then 'toast'
           when nspname in ('pg_catalog', 'information_schema') or nspname is null then 'other'
           else nspname || '.' || relname end as name,
         coalesce(relkind = 'i' and nspname <> 'pg_toast', false) as "isIndex",
         sum(bytes)::float8 as bytes, sum(fpi_length)::float8 as "imageBytes",
         sum(is_entry::int)::float8 as insertions, sum(is_commit::int)::float8 as commits
       from placed group by 1, 2 order by bytes desc
     ),
     transaction as (
       select xid, array_agg(distinct nspname::text) as schemas from placed
       where xid <> '0' and nspname !~ '^(pg_|information_schema)' group by xid
     ),
     wrote as (select schemas, count(*)::int as count from transaction group by schemas)
     select (select json_agg(cost) from cost) as costs, (select json_agg(wrote) from wrote) as wrote`,
    [from, to],
  );
  const { costs: rows = [], wrote } = found[0]!;
  const relations = rows.filter(({ name }) => name !== 'other');
  const total = (of: (row: Row) => number) => rows.reduce((sum, row) => sum + of(row), 0);
  const insertions = total((row) => (row.isIndex ? row.insertions : 0));
  if (insertions === 0) throw new Error(`no entry of any index between ${from} and ${to}`);
  return {
    bytes: total((row) => row.bytes),
    imageBytes: total((row) => row.imageBytes),
    commits: total((row) => row.commits),
    wrote: wrote ?? [],
    relations,
  };
}

type Row = RelationWal & { commits: number };

/** How many transactions wrote in any of these schemas. */
export function transactionsIn({ wrote }: WalCosts, names: RegExp): number {
  const those = wrote.filter(({ schemas }) => schemas.some((schema) => names.test(schema)));
  return those.reduce((sum, { count }) => sum + count, 0);
}

/** By schema; one that wrote in two schemas counts in both. */
export function transactionsBySchema(costs: WalCosts): Record<string, number> {
  const schemas = [...new Set(costs.wrote.flatMap((one) => one.schemas))].sort();
  return Object.fromEntries(
    schemas.map((schema) => [schema, transactionsIn(costs, new RegExp(`^${schema}$`))]),
  );
}
