import { fileURLToPath } from 'node:url';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { prepareGenerations } from '@tributary/generations/open-generations';
import type { Logger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool } from '@tributary/runtime/postgres';
import type { PostgresSettings } from '@tributary/runtime/variables';
import type pg from 'pg';

/**
 * Schemas in the order in which names are looked up: that of this generation of the fold, that of
 * the registry of generations, and that of the facts that all generations share.
 */
export async function prepareDatabase(options: {
  postgres: PostgresSettings;
  issuanceSchema: string;
  generationsSchema: string;
  logger: Logger;
}): Promise<pg.Pool> {
  const { postgres, issuanceSchema, generationsSchema, logger } = options;
  await migrateIssuances(options, logger);
  await migrate({
    settings: postgres,
    schema: postgres.schema,
    sets: [eventLogMigrations, { dir: folder('generation'), table: 'migration_rewards' }],
    logger,
  });
  return createPool(postgres, {
    searchPath: [postgres.schema, generationsSchema, issuanceSchema],
    applicationName: 'rewards',
    logger,
  });
}

/** The registry first: it takes over which generation is live from where that was before. */
export async function migrateIssuances(
  settings: { postgres: PostgresSettings; issuanceSchema: string; generationsSchema: string },
  logger: Logger,
): Promise<void> {
  const { postgres, issuanceSchema, generationsSchema } = settings;
  await prepareGenerations({ ...postgres, schema: generationsSchema }, logger);
  await migrate({
    settings: postgres,
    schema: issuanceSchema,
    sets: [{ dir: folder('issuance'), table: 'migration_issuance' }],
    logger,
  });
}

function folder(name: string): string {
  return fileURLToPath(new URL(`../../migrations/${name}`, import.meta.url));
}
