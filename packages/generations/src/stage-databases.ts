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
  /** Every schema of all of them; a database of read models that does not answer is left out. */
  listSchemas(): Promise<string[]>;
};

/**
 * A stage registered itself in a database that cannot be asked: none of the addresses that this
 * process has leads to it, or one of them does not answer.
 */
export class UnknownDatabase extends Error {
  readonly retryable = true;
  constructor(stage: string, database: string, silent: unknown[]) {
    const why =
      silent.length === 0
        ? 'give TRIBUTARY_READ_MODEL_POSTGRES_URL its address here, too'
        : 'one that TRIBUTARY_READ_MODEL_POSTGRES_URL names does not answer';
    super(`${stage} keeps its tables in another database (${database}): ${why}`, {
      cause: silent[0],
    });
    this.name = 'UnknownDatabase';
  }
}

/**
 * Looked at anew each time: an address may lead to another server than before. One that does not
 * answer keeps nobody from the others: folds go on, and are recovered, without any read model.
 */
export function createStageDatabases(registry: Db, others: readonly Db[]): StageDatabases {
  return {
    async of({ name, database }) {
      if (database === undefined) return registry;
      const silent: unknown[] = [];
      for (const other of others) {
        try {
          if ((await identifyDatabase(other)) === database) return other;
        } catch (error) {
          silent.push(error);
        }
      }
      throw new UnknownDatabase(name, database, silent);
    },
    async listSchemas() {
      const ofOthers = others.map((db) => listSchemas(db).catch(() => []));
      const all = await Promise.all([listSchemas(registry), ...ofOthers]);
      return [...new Set(all.flat())];
    },
  };
}
