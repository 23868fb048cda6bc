import pg from 'pg';
import { connectionConfig } from './postgres-connection.ts';
import type { PostgresSettings } from './variables.ts';

/** Where a snapshot is taken: plain data, to be handed to a thread. */
export type SnapshotOf = Pick<PostgresSettings, 'url' | 'tls'> & {
  searchPath: readonly string[];
  applicationName: string;
};

export function snapshotSettings(
  { url, tls, schema }: PostgresSettings,
  { applicationName, searchPath = [schema] }: { applicationName: string; searchPath?: string[] },
): SnapshotOf {
  return { url, searchPath, applicationName, ...(tls && { tls }) };
}

/**
 * What `read` gives of one snapshot of the database, on a connection of its own: all of its
 * statements see what was committed when its first one began, however long it takes.
 */
export async function* inSnapshot<T>(
  { searchPath, applicationName, ...settings }: SnapshotOf,
  read: (tx: pg.Client) => AsyncIterable<T>,
): AsyncGenerator<T, void, void> {
  const client = new pg.Client({
    ...connectionConfig(settings, { searchPath, applicationName }),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // Whoever reads the rows may be slow, but not for ever: a snapshot keeps dead rows alive.
    idle_in_transaction_session_timeout: 300_000,
  });
  // The failing query reports the same error.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    yield* read(client);
    await client.query('commit');
  } finally {
    await client.end();
  }
}
