import type { Composition } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, poolComponent } from '@tributary/runtime/postgres';
import type { PostgresSettings } from '@tributary/runtime/variables';
import type pg from 'pg';
import { eventLogMigrations } from './migrations.ts';

/**
 * What a service with a schema of its own does first with its database: make the tables, those of
 * projections and outbox included, and connect. The pool becomes the part `postgres` of the
 * process.
 */
export async function connectDatabase(
  settings: PostgresSettings,
  options: Pick<Composition, 'add'> & {
    service: string;
    migrationsDir: string;
    logger: Logger;
    /** See `createPool`. */
    idleInTransactionMs?: number;
  },
): Promise<pg.Pool> {
  const { service, logger, add, idleInTransactionMs } = options;
  const limits = idleInTransactionMs === undefined ? {} : { idleInTransactionMs };
  await migrateDatabase(settings, options);
  const pool = createPool(settings, { applicationName: service, logger, ...limits });
  add('postgres', poolComponent(pool));
  return pool;
}

/** The tables alone, those of projections and outbox included. */
export function migrateDatabase(
  settings: PostgresSettings,
  { migrationsDir, logger }: { migrationsDir: string; logger: Logger },
): Promise<void> {
  return migrate({
    settings,
    schema: settings.schema,
    sets: [eventLogMigrations, { dir: migrationsDir, table: 'migration' }],
    logger,
  });
}
