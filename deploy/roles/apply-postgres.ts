import { prepareGenerations } from '../../packages/generations/src/open-generations.ts';
import type { Logger } from '../../packages/runtime/src/logger.ts';
import { createPool, inTransaction, type Tx } from '../../packages/runtime/src/postgres.ts';
import type { PostgresSettings } from '../../packages/runtime/src/variables.ts';
import type { ServicePasswords } from '../local/service-passwords.ts';
import {
  databaseStatements,
  ownershipOf,
  registryStatements,
  roleStatements,
  scramVerifier,
  strangersQuery,
} from './postgres-statements.ts';
import { generationsSchema } from './roles-table.ts';

export type AdminSettings = Pick<PostgresSettings, 'url' | 'tls'>;

/**
 * Makes the roles and gives each what the table says, in the database of the URL, whose user is a
 * superuser. What earlier releases made there as another user becomes the roles' own. The registry
 * of generations, which several services use, gets its tables here, so that none waits for another.
 */
export async function applyPostgresRoles(options: {
  admin: AdminSettings;
  prefix: string;
  passwords: ServicePasswords['postgres'];
  logger: Logger;
}): Promise<void> {
  const { admin, prefix, passwords, logger } = options;
  const pool = createPool(
    { ...admin, schema: generationsSchema, poolSize: 1 },
    { applicationName: 'roles', logger },
  );
  const verifierOf = (principal: keyof typeof passwords) => scramVerifier(passwords[principal]);
  try {
    await inTransaction(pool, async (tx) => {
      await oneAtATime(tx);
      const { rows } = await tx.query<{ name: string }>('select current_database() as name');
      await run(tx, roleStatements(prefix, verifierOf));
      await run(tx, databaseStatements(prefix, rows[0]!.name));
    });
    await prepareGenerations({ ...admin, schema: generationsSchema }, logger);
    await inTransaction(pool, async (tx) => {
      await oneAtATime(tx);
      const { patterns, roles } = ownershipOf(prefix);
      const { rows } = await tx.query<{ statement: string }>(strangersQuery, [patterns, roles]);
      await run(tx, [...rows.map(({ statement }) => statement), ...registryStatements(prefix)]);
    });
  } finally {
    await pool.end();
  }
}

async function oneAtATime(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('tributary roles', 0))`);
}

async function run(tx: Tx, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await tx.query(statements.join(';\n'));
}
