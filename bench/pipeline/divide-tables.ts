import type pg from 'pg';
import { qualified, type TableName } from './twin-table.ts';

/** A table, and a temporary one that says which of its rows (`place`) are of which `part`. */
export type DividedTable = TableName & { partOf: string };

/**
 * Which rows of a fold's tables are written in which transaction: a share of each table's, in the
 * order in which they lie there. A row with a foreign key goes where the row goes that it leads to,
 * and comes after it, as it did when the fold wrote both.
 */
export async function divideTables(
  db: pg.ClientBase,
  { share, parts }: { share: number; parts: number },
): Promise<DividedTable[]> {
  const divided: DividedTable[] = [];
  for (const table of await listTables(db)) {
    const one = { ...table, partOf: `part_of_${table.schema}_${table.table}` };
    const parent = divided.find((other) => qualified(other) === table.parent);
    if (table.parent !== null && !parent) {
      throw new Error(`${qualified(table)} leads to ${table.parent}, which is not copied`);
    }
    const rows =
      parent === undefined
        ? `select ctid as place, (numbered.n * ${parts} / greatest(1, taken))::int as part
           from (select ctid, row_number() over (order by ctid) - 1 as n
                 from ${qualified(table)}) as numbered,
                (select ceil(count(*) * ${share}::float8)::bigint as taken
                 from ${qualified(table)}) as counted
           where numbered.n < taken`
        : `select child.ctid as place, picked.part from ${parent.partOf} as picked
           join ${qualified(parent)} as parent on parent.ctid = picked.place
           join ${qualified(table)} as child on ${table.joined}`;
    await db.query(`create temporary table ${one.partOf} as ${rows}`);
    await db.query(`analyze ${one.partOf}`);
    divided.push(one);
  }
  return divided;
}

type Listed = TableName & { parent: string | null; joined: string | null; keys: number };

/**
 * Facts and results, those that others lead to first; what is only on its way (outboxes, work) or
 * bookkeeping is left out.
 */
async function listTables(db: pg.ClientBase): Promise<Listed[]> {
  const { rows } = await db.query<Listed>(
    `select schemaname as schema, tablename as table, count(conname)::int as keys,
       min(confrelid::regclass::text) as parent,
       min((select string_agg(format('child.%I = parent.%I', own.attname, other.attname), ' and ')
            from unnest(conkey, confkey) as pair(own, other)
            join pg_attribute as own on own.attrelid = conrelid and own.attnum = pair.own
            join pg_attribute as other
              on other.attrelid = confrelid and other.attnum = pair.other)) as joined
     from pg_tables
     left join pg_constraint on contype = 'f'
       and conrelid = format('%I.%I', schemaname, tablename)::regclass
     where schemaname in ('attribution_g1', 'rewards_g1', 'issuance')
       and tablename !~ 'outbox|migration|projection_|refold|unfolded'
     group by 1, 2
     order by count(conname) > 0, 1, 2`,
  );
  const odd = rows.find(({ keys }) => keys > 1);
  if (odd) throw new Error(`${qualified(odd)} has several foreign keys: divide its rows by one`);
  return rows;
}
