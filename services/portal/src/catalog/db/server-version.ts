import type pg from 'pg';

/** What the Postgres that keeps the catalog is, such as `15.14`. */
export async function readServerVersion(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  );
  return rows[0]!.version;
}
