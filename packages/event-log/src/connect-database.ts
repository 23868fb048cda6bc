import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool } from '@tributary/runtime/postgres';
import type { PostgresSettings } from '@tributary/runtime/variables';
import type pg from 'pg';
import { eventLogMigrations } from './migrations.ts';

/**
 * What a service with a schema of its own does first with its database: make the tables, those of
 * projections and outbox included, and connect. The pool ends by `onStop`.
 */
export async function connectDatabase(
  settings: PostgresSettings,
  options: {
    service: string;
    migrationsDir: string;
    logger: Logger;
    onStop: OnStop;
    /** See `createPool`. */
    idleInTransactionMs?: number;
  },
): Promise<pg.Pool> {
  const { service, migrationsDir, logger, onStop, ...limits } = options;
  await migrate({
    settings,
    schema: settings.schema,
    sets: [eventLogMigrations, { dir: migrationsDir, table: 'migration' }],
    logger,
  });
  const pool = createPool(settings, { applicationName: service, logger, ...limits });
  onStop('postgres', () => pool.end());
  return pool;
}
