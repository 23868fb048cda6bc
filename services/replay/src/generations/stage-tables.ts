import type { Tx } from '@tributary/runtime/postgres';
import { quoteIdentifier } from '@tributary/runtime/postgres-connection';
import type { Place } from './places.ts';

// The only statements of the system that name another service's tables. Generations are made,
// compared and removed here, and a swap is one transaction over two of them and the fence of
// issuances, which no request between services could be. What is relied on: positions, outbox, and
// the marks of work left over; a stage that changes them changes this file.

type Db = Pick<Tx, 'query'>;

/** Next offset of each partition, keyed `topic/partition`. */
export type Offsets = ReadonlyMap<string, bigint>;

/**
 * Holds up every batch of the stage, in all its processes, until the transaction ends: a batch
 * under way is waited for, and the first statement of the next one waits. A lock of the table and
 * not of its rows, so that a partition that is claimed for the first time is held up too; readers
 * go on.
 */
export async function holdStage(tx: Db, { schema }: Place): Promise<void> {
  await tx.query(`lock table ${quoteIdentifier(schema)}.projection_position
    in share row exclusive mode`);
}

/** Undefined: the stage has no tables yet. */
export async function readOffsets(db: Db, place: Place): Promise<Offsets | undefined> {
  const table = `${quoteIdentifier(place.schema)}.projection_position`;
  const there = await db.query('select where to_regclass($1) is not null', [table]);
  if (there.rowCount === 0) return undefined;
  const { rows } = await db.query<{ name: string; next_offset: string }>(
    `select topic || '/' || partition as name, next_offset from ${table} where projection = $1`,
    [place.projection],
  );
  return new Map(rows.map((row) => [row.name, BigInt(row.next_offset)]));
}

/** What a stage still has to do with what it has read, in one look. */
export type Unfinished = {
  /** Work for the sweeper. */
  open: number;
  /** Rows of the outbox. */
  unsent: number;
  /** Folds that threw and are tried again and again. */
  undecided: number;
};

export async function readUnfinishedDecisions(db: Db, place: Place): Promise<Unfinished> {
  const schema = quoteIdentifier(place.schema);
  return readUnfinished(
    db,
    `select (select count(*) from ${schema}.refold) as open,
       (select count(*) from ${schema}.outbox) as unsent,
       (select count(*) from ${schema}.decision where outcome = 'undecided') as undecided`,
  );
}

export async function readUnfinishedRewards(db: Db, place: Place): Promise<Unfinished> {
  const schema = quoteIdentifier(place.schema);
  return readUnfinished(
    db,
    `select (select count(*) from ${schema}.decision where status = 'waiting-for-revision') as open,
       (select count(*) from ${schema}.outbox) as unsent,
       (select count(*) from ${schema}.recipient where undecided_reason is not null) as undecided`,
  );
}

/**
 * Holds up every release and every word of an operator, of all generations. The lock of the table
 * queues fairly, where releases that hold the row for share would overtake a writer for ever.
 */
export async function holdReleases(tx: Db): Promise<void> {
  await tx.query('lock table live_generation in exclusive mode');
}

/** Facts about issuances that are committed and perhaps not on the log yet. */
export async function countUnsentIssuances(db: Db, issuanceSchema: string): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `select count(*) as count from ${quoteIdentifier(issuanceSchema)}.issuance_outbox`,
  );
  return Number(rows[0]?.count);
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

async function readUnfinished(db: Db, text: string): Promise<Unfinished> {
  const { rows } = await db.query<Record<keyof Unfinished, string>>(text);
  const [row] = rows;
  return {
    open: Number(row?.open),
    unsent: Number(row?.unsent),
    undecided: Number(row?.undecided),
  };
}
