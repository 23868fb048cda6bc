import { fileURLToPath } from 'node:url';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool } from '@tributary/runtime/postgres';
import type { PostgresSettings } from '@tributary/runtime/variables';
import type pg from 'pg';

/** Where the registry is: in the database of the folds. */
export type GenerationsSettings = Pick<PostgresSettings, 'url' | 'tls'> & {
  /** TRIBUTARY_GENERATIONS_SCHEMA */
  schema: string;
};

const migrations = {
  dir: fileURLToPath(new URL('../migrations', import.meta.url)),
  table: 'migration_generations',
};

/** Makes or updates the schema. Any number of processes may do so at once. */
export async function prepareGenerations(
  settings: GenerationsSettings,
  logger: Logger,
): Promise<void> {
  await migrate({ settings, schema: settings.schema, sets: [migrations], logger });
}

/**
 * The same, and a small pool for the functions of registry.ts, ended by `onStop`. A service that
 * calls them in transactions of its own has this schema in its own search path instead.
 */
export async function openGenerations(
  settings: GenerationsSettings,
  { logger, onStop, service }: { logger: Logger; onStop: OnStop; service: string },
): Promise<pg.Pool> {
  await prepareGenerations(settings, logger);
  const pool = createPool(
    { ...settings, poolSize: 3 },
    { applicationName: `${service} generations`, logger },
  );
  onStop('generations', () => pool.end());
  return pool;
}
