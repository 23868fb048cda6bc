import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { runner } from 'node-pg-migrate';
import type { Logger } from './logger.ts';
import { loadSqlMigrations } from './load-sql-migrations.ts';
import { idleInTransactionLimitMs } from './postgres.ts';
import { connectionConfig, quoteIdentifier } from './postgres-connection.ts';
import { untilAllowed } from './until-allowed.ts';
import type { PostgresSettings } from './variables.ts';

/** A folder of forward-only SQL files, and the table that lists those applied. */
export type MigrationSet = { /** absolute */ dir: string; table: string };

/**
 * Brings `schema` to the state of this release. Any number of replicas may call it at once: one
 * session lock per database lets one of them work while the others wait and then find nothing to
 * do. The pending files of a set are one transaction, so a failure leaves nothing half done; but
 * for files that cannot be in one, see load-sql-migrations.ts. An older release that starts beside
 * a newer one accepts files that it does not know, as long as its own come first. While a right
 * lacks, it waits for that (until-allowed.ts), and while others hold what it changes, for these.
 */
export function migrate(options: Migration): Promise<void> {
  const { settings, logger } = options;
  return untilAllowed(() => migrateOnce(options), { url: settings.url, logger });
}

type Migration = {
  settings: Pick<PostgresSettings, 'url' | 'tls'>;
  schema: string;
  sets: readonly MigrationSet[];
  logger: Logger;
};

async function migrateOnce(options: Migration): Promise<void> {
  const { settings, schema, sets, logger } = options;
  const client = new pg.Client({
    ...connectionConfig(settings, { searchPath: [schema], applicationName: 'migrate' }),
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    idle_in_transaction_session_timeout: idleInTransactionLimitMs,
  });
  // A broken connection also fails the statement under way; unheard, it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await takeLock(client);
    await ensureSchema(client, schema);
    await client.query(`set lock_timeout = ${lockLimitMs}`);
    for (const set of sets) await applyWhenFree(client, schema, set, logger);
  } finally {
    // Ends the session and with it the lock.
    await client.end();
  }
}

/**
 * Asks again and again: who waited inside of a statement would hold a snapshot, and whoever builds
 * an index concurrently, with the lock, would wait for that.
 */
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1) as taken',
      [migrationLock],
    );
    if (rows[0]?.taken) return;
    await delay(betweenMs);
  }
}

/** Any number that nobody else uses in this database; fixed for all releases. */
const migrationLock = '7421865325823001';

/** `create schema if not exists` would need the right to create even where it exists. */
async function ensureSchema(client: pg.Client, schema: string): Promise<void> {
  const found = await client.query('select 1 from pg_namespace where nspname = $1', [schema]);
  if (found.rowCount === 0) await client.query(`create schema ${quoteIdentifier(schema)}`);
}

/**
 * Processes of the release before still run, and lock the same tables, not always in this order. It
 * is the migration that gives way: it waits for a lock for less than the second after which the
 * server looks for circles, so that none of their transactions fails or waits for long behind it,
 * then lets go of all that it has and begins again.
 */
async function applyWhenFree(
  client: pg.Client,
  schema: string,
  set: MigrationSet,
  logger: Logger,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applySet(client, schema, set, logger);
    } catch (error) {
      if (!isInTheWay(error)) throw error;
      const about = { schema, table: set.table, attempt };
      if (attempt % 40 === 1)
        logger.warn('others use what a migration changes; it tries again', about);
      await delay(betweenMs);
    }
  }
}

/** 55P03 waited for a lock, 40P01 was in a circle of those. */
function isInTheWay(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '55P03' || code === '40P01';
}

const lockLimitMs = 500;
/** For those who waited behind it. */
const betweenMs = 250;

async function applySet(
  client: pg.Client,
  schema: string,
  { dir, table }: MigrationSet,
  logger: Logger,
): Promise<void> {
  const applied = await runner({
    dbClient: client,
    dir,
    migrationsTable: table,
    // Also sets the search path of this session, to the same schema.
    schema,
    direction: 'up',
    singleTransaction: true,
    migrationLoaderStrategies: [
      { extensions: ['.sql'], loader: (files) => loadSqlMigrations(files, { lockLimitMs }) },
    ],
    checkOrder: true,
    noLock: true, // Ours covers the schema and all sets.
    logger: quiet(logger, schema),
  });
  for (const { name } of applied) logger.info('migration applied', { schema, table, name });
}

/** The library reports what it is about to do line by line; that is noise outside of debugging. */
function quiet(logger: Logger, schema: string) {
  const debug = (message: string) => logger.debug(message, { schema });
  return { debug, info: debug, warn: debug, error: debug };
}
