import type pg from 'pg';

/** A table of a schema, by names that need no quotes. */
export type TableName = { schema: string; table: string };

/** Where the empty twins of a schema's tables are. */
export const twinSchemaOf = (schema: string) => `pure_${schema}`;
export const qualified = ({ schema, table }: TableName) => `${schema}.${table}`;
export const twinOf = ({ schema, table }: TableName) => ({ schema: twinSchemaOf(schema), table });

/**
 * An empty table like another, with all that costs something when a row is written. `like …
 * including all` copies columns, checks and indexes; foreign keys, triggers and how full a page may
 * be are copied from the catalog. Foreign keys lead to twins, which must be there before.
 *
 * @throws when the twin is not the same as the original.
 */
export async function makeTwin(db: pg.ClientBase, original: TableName): Promise<void> {
  const twin = twinOf(original);
  await db.query(`create schema if not exists ${twin.schema}`);
  await db.query(`create table ${qualified(twin)} (like ${qualified(original)} including all)`);
  const found = await readForeignKeysAndTriggers(db, original);
  // Names of tables lead to the twins now, those of functions to the original's schema.
  await within(db, [twin.schema, original.schema], async () => {
    for (const { name, definition } of found.foreignKeys) {
      await db.query(`alter table ${qualified(twin)} add constraint ${name} ${definition}`);
    }
    for (const definition of found.triggers) await db.query(definition);
    if (found.options !== null) {
      await db.query(`alter table ${qualified(twin)} set (${found.options})`);
    }
  });
  await requireSameShape(db, original);
}

type Found = {
  foreignKeys: { name: string; definition: string }[];
  triggers: string[];
  options: string | null;
};

async function readForeignKeysAndTriggers(db: pg.ClientBase, of: TableName): Promise<Found> {
  return within(db, [of.schema], async () => {
    const { rows } = await db.query<Found>(
      `select
         (select coalesce(json_agg(json_build_object('name', quote_ident(conname),
              'definition', pg_get_constraintdef(oid, true)) order by conname), '[]')
            from pg_constraint where conrelid = $1::regclass and contype = 'f') as "foreignKeys",
         (select coalesce(json_agg(pg_get_triggerdef(oid, true) order by tgname), '[]')
            from pg_trigger where tgrelid = $1::regclass and not tgisinternal) as triggers,
         (select array_to_string(reloptions, ', ') from pg_class where oid = $1::regclass)
           as options`,
      [qualified(of)],
    );
    return rows[0]!;
  });
}

/** Indexes, constraints, triggers and columns; a twin that lacks any is too cheap. */
export async function requireSameShape(db: pg.ClientBase, original: TableName): Promise<void> {
  const twin = twinOf(original);
  const wanted = await within(db, [original.schema], () => readShape(db, original));
  const made = await within(db, [twin.schema, original.schema], () => readShape(db, twin));
  const missing = wanted.filter((part) => !made.includes(part));
  const surplus = made.filter((part) => !wanted.includes(part));
  if (missing.length + surplus.length === 0) return;
  throw new Error(
    `the twin of ${qualified(original)} lacks ${JSON.stringify(missing)} ` +
      `and has ${JSON.stringify(surplus)} of its own`,
  );
}

/** Names of indexes and constraints are left out: those of a twin are made up. */
async function readShape(db: pg.ClientBase, of: TableName): Promise<string[]> {
  const { rows } = await db.query<{ part: string }>(
    `select 'index ' || regexp_replace(pg_get_indexdef(indexrelid, 0, true),
         'INDEX \\S+ ON', 'INDEX ON') as part
       from pg_index where indrelid = $1::regclass
     union all
     -- A row that is written is checked whether or not those from before were.
     select 'constraint ' || regexp_replace(pg_get_constraintdef(oid, true), ' NOT VALID$', '')
       from pg_constraint where conrelid = $1::regclass
     union all
     select pg_get_triggerdef(oid, true)
       from pg_trigger where tgrelid = $1::regclass and not tgisinternal
     union all
     select 'column ' || concat_ws(' ', attname, format_type(atttypid, atttypmod),
         case when attnotnull then 'not null' end, attgenerated, attidentity, attstorage,
         pg_get_expr(adbin, adrelid, true))
       from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where attrelid = $1::regclass and attnum > 0 and not attisdropped
     union all
     select 'options ' || reloptions::text from pg_class
       where oid = $1::regclass and reloptions is not null
     order by 1`,
    [qualified(of)],
  );
  return rows.map(({ part }) => part);
}

/** Names are resolved, and left unqualified, as of these schemas. */
async function within<T>(
  db: pg.ClientBase,
  schemas: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  await db.query(`set search_path to ${schemas.join(', ')}`);
  try {
    return await work();
  } finally {
    await db.query('reset search_path');
  }
}
