import { addGenerationEvent, type GenerationsDb } from '@tributary/generations/registry';

// What jobs have to know of a generation when they are taken up again, kept as lines of its
// history: that outlives a job's directory, and says the same to people.

/** Compared with the fold of the whole log, and equal to it: fit to be live. */
const proven = 'proven';
const differs = 'differs';

export async function markCompared(
  db: GenerationsDb,
  generation: number,
  { identical, how }: { identical: boolean; how: string },
): Promise<void> {
  await addGenerationEvent(db, generation, `${identical ? proven : differs}: ${how}`);
}

export async function readCompared(
  db: GenerationsDb,
  generation: number,
): Promise<'identical' | 'different' | undefined> {
  const { rows } = await db.query<{ line: string }>(
    `select line from generation_event
     where number = $1 and (line like '${proven}:%' or line like '${differs}:%')
     order by event_id desc limit 1`,
    [generation],
  );
  const line = rows[0]?.line;
  if (line === undefined) return undefined;
  return line.startsWith(proven) ? 'identical' : 'different';
}

/** In the note of a generation, or of a flip. */
export const madeBy = (jobId: string): string => `job ${jobId}`;

/**
 * What this job made last, also when it was removed since. Undefined: it has made nothing so far.
 */
export async function findMadeBy(db: GenerationsDb, jobId: string): Promise<number | undefined> {
  const { rows } = await db.query<{ number: number }>(
    'select number from generation_event where line = $1 order by event_id desc limit 1',
    [`registered: ${madeBy(jobId)}`],
  );
  return rows[0]?.number;
}

/** The flip that this job did. */
export async function findFlipBy(
  db: GenerationsDb,
  jobId: string,
): Promise<{ from: number; to: number } | undefined> {
  const { rows } = await db.query<{ number: number; line: string }>(
    `select number, line from generation_event
     where line like 'live instead of %' and position($1 in line) > 0 limit 1`,
    [madeBy(jobId)],
  );
  const [row] = rows;
  return row && { from: previousOf(row.line)!, to: row.number };
}

/** Those that were removed as well: their history must not be taken for that of another one. */
export async function readRemembered(db: GenerationsDb): Promise<number[]> {
  const { rows } = await db.query<{ number: number }>(
    'select number from generation union select number from generation_event',
  );
  return rows.map(({ number }) => number);
}

/** Which generation was live before this one became it. */
export async function findPrevious(db: GenerationsDb, live: number): Promise<number | undefined> {
  const { rows } = await db.query<{ line: string }>(
    `select line from generation_event where number = $1 and line like 'live instead of %'
     order by event_id desc limit 1`,
    [live],
  );
  return rows[0] && previousOf(rows[0].line);
}

function previousOf(line: string): number | undefined {
  const match = /^live instead of (\d+)/.exec(line);
  return match ? Number(match[1]) : undefined;
}
