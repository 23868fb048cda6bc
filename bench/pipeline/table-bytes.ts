import type pg from 'pg';

export type RelationBytes = {
  schema: string;
  table: string;
  /** Null for the table itself, its TOAST included. */
  index: string | null;
  bytes: number;
};

const schemas = ['attribution_g1', 'rewards_g1', 'issuance'];

/** What each table and index of the two folds takes on disk, dead rows included. */
export async function relationBytes(
  db: pg.ClientBase,
  of: readonly string[] = schemas,
): Promise<RelationBytes[]> {
  const { rows } = await db.query<Omit<RelationBytes, 'bytes'> & { bytes: string }>(
    `select schemaname as schema, tablename as table, null as index,
       pg_table_size(format('%I.%I', schemaname, tablename)) as bytes
     from pg_tables where schemaname = any($1)
     union all
     select schemaname, tablename, indexname,
       pg_relation_size(format('%I.%I', schemaname, indexname))
     from pg_indexes where schemaname = any($1)
     order by 1, 2, 3 nulls first`,
    [of],
  );
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
}

/**
 * The same summed up by schema. Outboxes are empty by then: room that is used again, whatever its
 * size.
 */
export function bytesBySchema(relations: readonly RelationBytes[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { schema, table, bytes } of relations) {
    const where = table.includes('outbox') ? 'outboxes' : schema;
    sums[where] = (sums[where] ?? 0) + bytes;
  }
  return sums;
}
