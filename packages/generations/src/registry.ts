import type { Tx } from '@tributary/runtime/postgres';
import type { Generation, GenerationEvent, GenerationStatus } from './generation.ts';

/** A pool or a transaction that looks names up in the schema of generations. */
export type GenerationsDb = Pick<Tx, 'query'>;

/** By number. */
export async function listGenerations(db: GenerationsDb): Promise<Generation[]> {
  const { rows } = await db.query<Row>(`${select} order by number`);
  return rows.map(fromRow);
}

export async function findGeneration(
  db: GenerationsDb,
  number: number,
): Promise<Generation | undefined> {
  const { rows } = await db.query<Row>(`${select} where number = $1`, [number]);
  return rows[0] && fromRow(rows[0]);
}

/** The one that may issue, and that others ask about when they name none. */
export async function readLiveGeneration(db: GenerationsDb): Promise<number> {
  const { rows } = await db.query<{ generation: number }>('select generation from live_generation');
  return rows[0]!.generation;
}

/** Registers it as `building`; hosts start it within a second. False when the number is taken. */
export async function addGeneration(
  db: GenerationsDb,
  { number, foldVersion, note }: { number: number; foldVersion: number; note?: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with added as (
       insert into generation (number, status, note, fold_version)
       values ($1, 'building', $2, $3)
       on conflict do nothing returning number
     ), reported as (
       insert into generation_event (number, line)
       select number, concat_ws(': ', 'registered', $2::text) from added
     )
     select from added`,
    [number, note, foldVersion],
  );
  return rowCount === 1;
}

/**
 * A status other than `live`, which only {@link flipLive} gives. Says whether it is another one
 * than before.
 */
export async function setGenerationStatus(
  db: GenerationsDb,
  number: number,
  status: Exclude<GenerationStatus, 'live'>,
  note?: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with changed as (
       update generation set status = $2, note = coalesce($3, note)
       where number = $1 and status <> $2 returning number
     ), reported as (
       insert into generation_event (number, line)
       select number, concat_ws(': ', $2::text, $3::text) from changed
     )
     select from changed`,
    [number, status, note],
  );
  return rowCount === 1;
}

/**
 * Makes `to` the live generation, in the caller's transaction: waits for releases under way, and
 * none of `from` begins after the commit. `from` becomes `kept`, or stays `lost`.
 *
 * False, and nothing is changed: another one than `from` is live, or `to` is not there to be live.
 */
export async function flipLive(
  tx: Tx,
  { from, to, note }: { from: number; to: number; note?: string },
): Promise<boolean> {
  const { rows } = await tx.query<{ generation: number }>(
    'select generation from live_generation for update',
  );
  if (rows[0]?.generation !== from) return false;
  const target = await tx.query<{ status: GenerationStatus }>(
    'select status from generation where number = $1 for update',
    [to],
  );
  const status = target.rows[0]?.status;
  if (status !== 'building' && status !== 'kept') return false;
  await tx.query(`update generation set status = 'kept' where number = $1 and status = 'live'`, [
    from,
  ]);
  await tx.query(`update generation set status = 'live' where number = $1`, [to]);
  await tx.query('update live_generation set generation = $1', [to]);
  await addGenerationEvent(tx, to, [`live instead of ${from}`, note].filter(Boolean).join(': '));
  return true;
}

/** Takes it off the list; hosts stop it within a second. False for the live one. */
export async function removeGeneration(db: GenerationsDb, number: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `with removed as (
       delete from generation
       where number = $1 and number <> (select generation from live_generation for share)
       returning number
     ), reported as (
       insert into generation_event (number, line) select number, 'removed' from removed
     )
     select from removed`,
    [number],
  );
  return rowCount === 1;
}

export async function addGenerationEvent(
  db: GenerationsDb,
  number: number,
  line: string,
): Promise<void> {
  await db.query('insert into generation_event (number, line) values ($1, $2)', [number, line]);
}

/** The newest first. */
export async function listGenerationEvents(
  db: GenerationsDb,
  { limit = 100 }: { limit?: number } = {},
): Promise<GenerationEvent[]> {
  const { rows } = await db.query<GenerationEvent>(
    `select number, ${utc('at')} as at, line from generation_event order by event_id desc limit $1`,
    [limit],
  );
  return rows;
}

/** Holds the right to issue until the transaction ends. False: another generation has it. */
export async function holdLiveGeneration(tx: Tx, generation: number): Promise<boolean> {
  const { rows } = await tx.query<{ generation: number }>({
    name: 'hold_live_generation',
    text: 'select generation from live_generation for share',
  });
  return rows[0]?.generation === generation;
}

/**
 * The same, but who is not live does not wait for a swap: that waits for what this generation has
 * to fold, which would wait for us.
 */
export async function holdWhereLive(tx: Tx, generation: number): Promise<boolean> {
  if ((await readLiveGeneration(tx)) !== generation) return false;
  return holdLiveGeneration(tx, generation);
}

/**
 * Holds up every release and every operator action, of all generations, until the transaction ends.
 * The lock of the table queues fairly, where releases that hold the row for share would overtake a
 * writer for ever.
 */
export async function holdReleases(tx: Tx): Promise<void> {
  await tx.query('lock table live_generation in exclusive mode');
}

type Row = {
  number: number;
  status: GenerationStatus;
  note: string | null;
  fold_version: number;
  created_at: string;
};

const select = `select number, status, note, fold_version, ${utc('created_at')} as created_at
  from generation`;

function utc(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

function fromRow({ number, status, note, ...row }: Row): Generation {
  const { fold_version: foldVersion, created_at: createdAt } = row;
  return { number, status, foldVersion, note: note ?? undefined, createdAt };
}
