import type { Tx } from '@tributary/runtime/postgres';

/** Not `now()`, which is the beginning of the transaction. */
export async function readDatabaseTime(tx: Tx): Promise<Date> {
  const { rows } = await tx.query<{ now: Date }>({
    name: 'read_database_time',
    text: 'select clock_timestamp() as now',
  });
  return rows[0]!.now;
}
