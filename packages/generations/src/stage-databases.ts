import type { Tx } from '@tributary/runtime/postgres';
import { listSchemas } from './stage-state.ts';

type Db = Pick<Tx, 'query'>;

/**
 * What a database is, whatever address it is reached by: the server's own identifier, which a
 * standby that takes over has too, and the name of the database there.
 */
export async function identifyDatabase(db: Db): Promise<string> {
  const { rows } = await db.query<{ database: string }>(
    `select system_identifier || '/' || current_database() as database from pg_control_system()`,
  );
  return rows[0]!.database;
}

/** The databases that stages may be in: that of the registry, and those of read models. */
export type StageDatabases = {
  /**
   * Where this stage's schema is.
   *
   * @throws {UnknownDatabase}
   */
  of(stage: { name: string; database?: string }): Promise<Db>;
  /** Every schema of all of them. */
  listSchemas(): Promise<string[]>;
};

/** A stage registered itself in a database that this process was not told of. */
export class UnknownDatabase extends Error {
  readonly retryable = true;
  constructor(stage: string, database: string) {
    super(
      `${stage} keeps its tables in another database (${database}): ` +
        'give TRIBUTARY_READ_MODEL_POSTGRES_URL its address here, too',
    );
    this.name = 'UnknownDatabase';
  }
}

/** Looked at anew each time: an address may lead to another server than before. */
export function createStageDatabases(registry: Db, others: readonly Db[]): StageDatabases {
  return {
    async of({ name, database }) {
      if (database === undefined) return registry;
      for (const other of others) {
        if ((await identifyDatabase(other)) === database) return other;
      }
      throw new UnknownDatabase(name, database);
    },
    async listSchemas() {
      const all = await Promise.all([registry, ...others].map((db) => listSchemas(db)));
      return [...new Set(all.flat())];
    },
  };
}
