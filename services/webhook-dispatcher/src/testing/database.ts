import { eventLogMigrations } from '@tributary/event-log/migrations';
import { createLogger, type Logger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import type { PostgresSettings } from '@tributary/runtime/variables';
import { createPreparedDatabase } from '@tributary/testkit/database';
import type { Incoming } from '@tributary/event-log/projection';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { applyRecords } from '../log/apply-records.ts';

export const silentLogger: Logger = createLogger({ service: 'test', level: 'silent' });

/** A database of its own with the schema of this service. */
export async function createDispatchDatabase(): Promise<{
  pool: pg.Pool;
  settings: PostgresSettings;
  apply: (...batch: Incoming[]) => Promise<void>;
  drop: () => Promise<void>;
}> {
  const schema = 'dispatch';
  const settingsOf = (url: string) => ({ url, schema, poolSize: 10 });
  const dir = fileURLToPath(new URL('../../migrations', import.meta.url));
  const sets = [eventLogMigrations, { dir, table: 'migration' }];
  const database = await createPreparedDatabase('dispatch', (url) =>
    migrate({ settings: settingsOf(url), schema, sets, logger: silentLogger }),
  );
  const settings = settingsOf(database.url);
  const pool = createPool(settings, {
    searchPath: [schema],
    applicationName: 'test',
    logger: silentLogger,
  });
  return {
    pool,
    settings,
    apply: (...batch) => inTransaction(pool, (tx) => applyRecords(tx, batch)),
    async drop() {
      await pool.end();
      await database.drop();
    },
  };
}
