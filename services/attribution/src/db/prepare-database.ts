import { fileURLToPath } from 'node:url';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import type { Logger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool } from '@tributary/runtime/postgres';
import type { PostgresSettings } from '@tributary/runtime/variables';
import type pg from 'pg';

const migrations = {
  dir: fileURLToPath(new URL('../../migrations', import.meta.url)),
  table: 'migration_attribution',
};

/** The schema of this generation, up to date, and a pool that looks names up in it. */
export async function prepareDatabase(
  postgres: PostgresSettings,
  logger: Logger,
): Promise<pg.Pool> {
  await migrate({
    settings: postgres,
    schema: postgres.schema,
    sets: [eventLogMigrations, migrations],
    logger,
  });
  return createPool(postgres, { applicationName: 'attribution', logger });
}
