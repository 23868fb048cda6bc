import type { Tx } from '@tributary/runtime/postgres';

/**
 * Another one as soon as it is not the same server process, database and table any more that
 * answer: after a failover, a restart, a restore. The same one says nothing about rows that were
 * replaced in place.
 */
export async function readDatabaseIdentity(db: Pick<Tx, 'query'>): Promise<string> {
  const { rows } = await db.query<{ identity: string }>({
    name: 'read_database_identity',
    text: `select concat_ws('/', pg_postmaster_start_time(), oid, 'projection_position'::regclass::oid)
             as identity
           from pg_database where datname = current_database()`,
  });
  return rows[0]!.identity;
}
