import type pg from 'pg';

/**
 * What the tables of each schema of a fold take on disk, indexes and dead rows included. Outboxes
 * are empty by then: room that is used again, whatever its size.
 */
export async function tableBytes(db: pg.ClientBase): Promise<Record<string, number>> {
  const { rows } = await db.query<{ schema: string; bytes: string }>(
    `select case when tablename ~ 'outbox' then 'outboxes' else schemaname end as schema,
            sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)))::text as bytes
     from pg_tables where schemaname in ('attribution_g1', 'rewards_g1', 'issuance')
     group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map((row) => [row.schema, Number(row.bytes)]));
}
