import type { Logger } from '@tributary/runtime/logger';
import { createPool } from '@tributary/runtime/postgres';
import type { PostgresSettings } from '@tributary/runtime/variables';
import { isRun, schemaOfGeneration } from './generation.ts';
import type { FoldSettings } from './host-fold.ts';
import { prepareGenerations } from './open-generations.ts';
import { listGenerations } from './registry.ts';

/**
 * Makes the tables of every generation those of this release, one after the other, as the processes
 * of a host would at their start. `migrate` does so in the schema of `postgres`.
 */
export async function migrateGenerations(
  settings: Pick<
    FoldSettings,
    'postgres' | 'registryPostgres' | 'generationsSchema' | 'onlyGeneration'
  >,
  { logger, migrate }: { logger: Logger; migrate: (postgres: PostgresSettings) => Promise<void> },
): Promise<void> {
  const { postgres, generationsSchema: schema, onlyGeneration } = settings;
  const registry = { ...postgres, ...settings.registryPostgres, schema, poolSize: 1 };
  await prepareGenerations(registry, logger);
  const pool = createPool(registry, { applicationName: 'migrate', logger });
  try {
    for (const generation of await listGenerations(pool)) {
      if (!isRun(generation)) continue;
      if (onlyGeneration !== undefined && generation.number !== onlyGeneration) continue;
      const own = schemaOfGeneration(postgres.schema, generation.number);
      await migrate({ ...postgres, schema: own });
    }
  } finally {
    await pool.end();
  }
}
