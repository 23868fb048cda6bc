import type { ProcessorRecord } from '@tributary/contracts/processor-record';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { asIfRead } from '@tributary/event-log/projection';
import { createLogger, type Logger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import type { PostgresSettings } from '@tributary/runtime/variables';
import { createPreparedDatabase } from '@tributary/testkit/database';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { createApplyRecords, processorSource } from '../log/apply-records.ts';
import type { Observe } from '../test-hooks.ts';

export const silentLogger: Logger = createLogger({ service: 'test', level: 'silent' });

export const metadataTtlMs = 600_000;

export type ProcessorDatabase = {
  pool: pg.Pool;
  settings: PostgresSettings;
  /** As one batch of the projection. */
  apply: (...batch: ProcessorRecord[]) => Promise<void>;
  drop: () => Promise<void>;
};

/** A database of its own with the schema of this service. */
export async function createProcessorDatabase(
  options: { observe?: Observe } = {},
): Promise<ProcessorDatabase> {
  const schema = 'processor';
  const settingsOf = (url: string) => ({ url, schema, poolSize: 10 });
  const database = await createPreparedDatabase('processor', (url) =>
    migrateProcessor(settingsOf(url)),
  );
  const settings = settingsOf(database.url);
  const pool = createPool(settings, {
    searchPath: [schema],
    applicationName: 'test',
    logger: silentLogger,
  });
  const applyRecords = createApplyRecords({
    logger: silentLogger,
    eventsTopic: 'events',
    metadataTtlMs,
    observe: options.observe,
  });
  return {
    pool,
    settings,
    apply: (...batch) =>
      inTransaction(pool, (tx) =>
        applyRecords(
          tx,
          batch.map((value) =>
            asIfRead({ source: processorSource, key: '', timestampMs: 0, value }),
          ),
        ),
      ),
    async drop() {
      await pool.end();
      await database.drop();
    },
  };
}

export async function migrateProcessor(settings: PostgresSettings): Promise<void> {
  const dir = fileURLToPath(new URL('../../migrations', import.meta.url));
  await migrate({
    settings,
    schema: settings.schema,
    sets: [eventLogMigrations, { dir, table: 'migration' }],
    logger: silentLogger,
  });
}
