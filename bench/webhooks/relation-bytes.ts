import type pg from 'pg';

/** Every table of some schemas that takes more than a few pages, with its indexes and dead rows. */
export async function relationBytes(
  db: pg.Pool,
  schemas: readonly string[],
): Promise<Record<string, number>> {
  const { rows } = await db.query<{ name: string; bytes: string }>(
    `select tablename as name,
            pg_total_relation_size(format('%I.%I', schemaname, tablename))::text as bytes
     from pg_tables where schemaname = any ($1) order by 1`,
    [schemas],
  );
  const sizes = rows.map(({ name, bytes }) => [name, Number(bytes)] as const);
  return Object.fromEntries(sizes.filter(([, bytes]) => bytes > 1_000_000));
}
