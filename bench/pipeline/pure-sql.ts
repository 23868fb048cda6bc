import type pg from 'pg';
import { type BenchServers, withClient } from './servers.ts';

/**
 * The limit: the rows that the pipeline left behind, written again by nothing but `insert … select
 * from unnest`, 500 events' worth in a transaction, over a few connections at once. No fold, no
 * log, no reading, no row written twice; same tables, same indexes.
 */
export async function runPureSql(options: {
  servers: BenchServers;
  /** A database that a run of the pipeline left behind. */
  from: { postgresUrl: string; events: number };
  sample: number;
  progress: (line: string) => void;
}): Promise<{ events: number; seconds: number; rows: number }> {
  const { from, progress } = options;
  const sample = Math.min(options.sample, from.events);
  const share = sample / from.events;
  const transactions = Math.ceil(sample / eventsAtOnce);
  progress(`pure SQL: the rows of ${sample} events`);
  return withClient(from.postgresUrl, async (db) => {
    const tables: Copy[] = [];
    for (const name of await listTables(db)) tables.push(await prepareCopy(db, name, share));
    const todo = Array.from({ length: transactions }, (_, i) => i);
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: connections }, () =>
        withClient(from.postgresUrl, async (own) => {
          for (let i = todo.shift(); i !== undefined; i = todo.shift()) {
            await writePart(own, tables, i, transactions);
          }
        }),
      ),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    const rows = tables.reduce((sum, { rowCount }) => sum + rowCount, 0);
    return { events: sample, seconds, rows };
  });
}

const eventsAtOnce = 500;
/** More make it slower on two cores. */
const connections = 3;

type Copy = { sql: string; columns: unknown[][]; rowCount: number };

/** Facts and results; what is only on its way (outboxes, work) or bookkeeping is left out. */
async function listTables(db: pg.ClientBase): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('attribution_g1', 'rewards_g1', 'issuance')
       and tablename !~ 'outbox|migration|projection_|refold|unfolded' order by 1`,
  );
  return rows.map((row) => row.name);
}

/** An empty twin of the table in the schema `pure`, and the rows for it by column. */
async function prepareCopy(db: pg.ClientBase, name: string, share: number): Promise<Copy> {
  const twin = `pure.${name.replace('.', '_')}`;
  await db.query(`create schema if not exists pure`);
  await db.query(`create table ${twin} (like ${name} including all)`);
  const { rows: columns } = await db.query<{ column: string; type: string }>(
    `select attname as column, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
     order by attnum`,
    [name],
  );
  const asText = columns.map(({ column }) => `${column}::text`).join(', ');
  const { rows } = await db.query<unknown[]>({
    text: `select ${asText} from ${name}
           limit (select ceil(count(*) * ${share}) from ${name})`,
    rowMode: 'array',
  } as unknown as pg.QueryArrayConfig as never);
  const list = columns.map(({ column }) => column).join(', ');
  const params = columns.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ');
  return {
    sql: `insert into ${twin} (${list}) overriding system value select * from unnest(${params})`,
    columns: columns.map((_, i) => rows.map((row) => row[i])),
    rowCount: rows.length,
  };
}

async function writePart(
  db: pg.Client,
  tables: readonly Copy[],
  part: number,
  parts: number,
): Promise<void> {
  await db.query('begin');
  for (const { sql, columns, rowCount } of tables) {
    const from = Math.floor((rowCount * part) / parts);
    const to = Math.floor((rowCount * (part + 1)) / parts);
    if (to > from) {
      await db.query(
        sql,
        columns.map((values) => values.slice(from, to)),
      );
    }
  }
  await db.query('commit');
}
