import { withClient } from '@tributary/testkit/database';
import type pg from 'pg';
import { divideTables, type DividedTable } from './divide-tables.ts';
import { makeTwin, qualified, twinOf } from './twin-table.ts';

/**
 * The limit: the rows that the pipeline left behind, written again by nothing but `insert … select
 * from unnest`, 500 events' worth in a transaction, over a few connections at once. No fold, no
 * log, no reading, no row written twice; same tables with the same indexes, constraints and
 * triggers.
 */
export async function runPureSql(options: {
  /** A database that a run of the pipeline left behind. */
  from: { postgresUrl: string; events: number };
  sample: number;
  progress: (line: string) => void;
}): Promise<{ events: number; seconds: number; rows: number }> {
  const { from, progress } = options;
  const sample = Math.min(options.sample, from.events);
  const share = sample / from.events;
  const parts = Math.ceil(sample / eventsAtOnce);
  progress(`pure SQL: the rows of ${sample} events`);
  return withClient(from.postgresUrl, async (db) => {
    const tables: Copy[] = [];
    for (const table of await divideTables(db, { share, parts })) {
      await makeTwin(db, table);
      tables.push(await prepareCopy(db, table, parts));
    }
    await db.query('checkpoint');
    const todo = Array.from({ length: parts }, (_, i) => i);
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: connections }, () =>
        withClient(from.postgresUrl, async (own) => {
          for (let i = todo.shift(); i !== undefined; i = todo.shift()) {
            await writePart(own, tables, i);
          }
        }),
      ),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    for (const copy of tables) await requireRows(db, copy);
    const rows = tables.reduce((sum, { rowCount }) => sum + rowCount, 0);
    if (rows < sample) throw new Error(`${rows} rows of ${sample} events: something is left out`);
    return { events: sample, seconds, rows };
  });
}

const eventsAtOnce = 500;
/** More make it slower on two cores. */
const connections = 3;

/** The values of one part of a table's rows, by column. */
type Part = unknown[][];
type Copy = { twin: string; sql: string; parts: readonly Part[]; rowCount: number };

/** What is to be written into the twin, in memory. */
async function prepareCopy(db: pg.ClientBase, table: DividedTable, parts: number): Promise<Copy> {
  const twin = qualified(twinOf(table));
  const { rows: columns } = await db.query<{ column: string; type: string }>(
    `select quote_ident(attname) as column, format_type(atttypid, atttypmod) as type
     from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
     order by attnum`,
    [qualified(table)],
  );
  const asText = columns.map(({ column }) => `rows.${column}::text`).join(', ');
  const { rows } = await db.query<[part: number, ...values: unknown[]]>({
    text: `select picked.part, ${asText} from ${table.partOf} as picked
           join ${qualified(table)} as rows on rows.ctid = picked.place
           order by picked.part, picked.place`,
    rowMode: 'array',
  } as unknown as pg.QueryArrayConfig as never);
  const byPart = Map.groupBy(rows, ([part]) => part);
  const list = columns.map(({ column }) => column).join(', ');
  const params = columns.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ');
  return {
    twin,
    sql: `insert into ${twin} (${list}) overriding system value select * from unnest(${params})`,
    parts: Array.from({ length: parts }, (_, part) => {
      const own = byPart.get(part) ?? [];
      return columns.map((_column, i) => own.map((row) => row[i + 1]));
    }),
    rowCount: rows.length,
  };
}

async function writePart(db: pg.Client, tables: readonly Copy[], part: number): Promise<void> {
  await db.query('begin');
  for (const { sql, parts } of tables) {
    const values = parts[part]!;
    if ((values[0]?.length ?? 0) > 0) await db.query(sql, values);
  }
  await db.query('commit');
}

async function requireRows(db: pg.ClientBase, { twin, rowCount }: Copy): Promise<void> {
  const { rows } = await db.query<{ count: number }>(`select count(*)::int as count from ${twin}`);
  if (rows[0]!.count === rowCount) return;
  throw new Error(`${twin} got ${rows[0]!.count} rows, ${rowCount} were written`);
}
