import { fileURLToPath } from 'node:url';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import type { Logger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool } from '@tributary/runtime/postgres';
import type { PostgresSettings } from '@tributary/runtime/variables';
import type pg from 'pg';

/**
 * Two schemas: one for this generation of the fold, one for the facts that all generations share.
 * The pool looks names up in both, in this order.
 */
export async function prepareDatabase(options: {
  postgres: PostgresSettings;
  issuanceSchema: string;
  logger: Logger;
}): Promise<pg.Pool> {
  const { postgres, issuanceSchema, logger } = options;
  await migrate({
    settings: postgres,
    schema: issuanceSchema,
    sets: [{ dir: folder('issuance'), table: 'migration_issuance' }],
    logger,
  });
  await migrate({
    settings: postgres,
    schema: postgres.schema,
    sets: [eventLogMigrations, { dir: folder('generation'), table: 'migration_rewards' }],
    logger,
  });
  return createPool(postgres, {
    searchPath: [postgres.schema, issuanceSchema],
    applicationName: 'rewards',
    logger,
  });
}

function folder(name: string): string {
  return fileURLToPath(new URL(`../migrations/${name}`, import.meta.url));
}
