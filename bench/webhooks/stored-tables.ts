import { fileURLToPath } from 'node:url';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { silentLogger } from '@tributary/event-log/testing';
import { migrate } from '@tributary/runtime/migrate';
import { createPool } from '@tributary/runtime/postgres';
import type pg from 'pg';

const schema = 'dispatch';
const settingsOf = (url: string) => ({ url, schema, poolSize: 4 });

/** The tables and indexes of the dispatcher. */
export async function createDispatchTables(url: string): Promise<void> {
  const dir = fileURLToPath(
    new URL('../../services/webhook-dispatcher/migrations', import.meta.url),
  );
  const sets = [eventLogMigrations, { dir, table: 'migration' }];
  await migrate({ settings: settingsOf(url), schema, sets, logger: silentLogger });
}

export function openDispatchPool(url: string): pg.Pool {
  return createPool(settingsOf(url), { applicationName: 'stored', logger: silentLogger });
}
