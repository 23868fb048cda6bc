import type { Tx } from '@tributary/runtime/postgres';
import { quoteIdentifier } from '@tributary/runtime/postgres-connection';
import type { Stage } from './stage.ts';

// What can be asked of a stage in its database, also while none of its processes runs: how far it
// has read, what it has not finished, to stand still, and to be gone. A swap does all of it in one
// transaction, which no request to a process could be part of. Positions are those of event-log;
// the view `stage_unfinished` is made by the stage's own migrations. Nothing else of a schema is
// named.

type Db = Pick<Tx, 'query'>;

/** Next offset of each partition, keyed `topic/partition`. */
export type Offsets = ReadonlyMap<string, bigint>;

/**
 * Holds up every batch of the stage, in all its processes, until the transaction ends: a batch
 * under way is waited for, and the first statement of the next one waits. A lock of the table and
 * not of its rows, so that a partition that is claimed for the first time is held up too; readers
 * go on.
 */
export async function holdStage(tx: Db, { schema }: Stage): Promise<void> {
  await tx.query(`lock table ${quoteIdentifier(schema)}.projection_position
    in share row exclusive mode`);
}

/** Undefined: the stage has no tables yet. */
export async function readOffsets(
  db: Db,
  { schema, projection }: Stage,
): Promise<Offsets | undefined> {
  const table = `${quoteIdentifier(schema)}.projection_position`;
  if (!(await isThere(db, table))) return undefined;
  const { rows } = await db.query<{ name: string; next_offset: string }>(
    `select topic || '/' || partition as name, next_offset from ${table} where projection = $1`,
    [projection],
  );
  return new Map(rows.map((row) => [row.name, BigInt(row.next_offset)]));
}

/** What a stage still has to do with what it has read, in one look. */
export type Unfinished = {
  /** Work that it has left for later. */
  open: number;
  /** Records that are not on the log yet. */
  unsent: number;
  /** Folds that threw and are tried again and again. */
  undecided: number;
};

/**
 * Read from a stage's schema, or from the one that it shares. Undefined: there is no such view,
 * because the stage has no tables yet or those of a release before decision 30.
 */
export async function readUnfinished(db: Db, schema: string): Promise<Unfinished | undefined> {
  const view = `${quoteIdentifier(schema)}.stage_unfinished`;
  if (!(await isThere(db, view))) return undefined;
  const { rows } = await db.query<Record<keyof Unfinished, string>>(
    `select open, unsent, undecided from ${view}`,
  );
  const [row] = rows;
  return {
    open: Number(row?.open),
    unsent: Number(row?.unsent),
    undecided: Number(row?.undecided),
  };
}

/** Every schema of the database. */
export async function listSchemas(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>('select nspname as name from pg_namespace');
  return rows.map(({ name }) => name);
}

/** With all that is in it; nothing when it is not there. */
export async function dropSchema(db: Db, schema: string): Promise<void> {
  await db.query(`drop schema if exists ${quoteIdentifier(schema)} cascade`);
}

async function isThere(db: Db, relation: string): Promise<boolean> {
  const { rowCount } = await db.query('select where to_regclass($1) is not null', [relation]);
  return rowCount !== 0;
}
