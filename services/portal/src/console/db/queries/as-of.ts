import { timeKeyOf } from '@tributary/generations/read-model-keys';
import type { Queryable } from './queryable.ts';

/**
 * The read model as it was known at a time: every table stands for what the log had then. The same
 * queries are asked as of the present; in front of each come views of the tables, which the planner
 * merges with it.
 *
 * Known then is what the log had got at the time, inclusive. Of an entity the highest version of
 * those is the one that was current, in whatever order versions came: its row is in the table, or
 * was moved to the versions by a higher one. The row of an event is there from its fact on. People
 * are those of today, since what they are called is not kept, and so is what has been pruned.
 */
export function asKnownAt(db: Queryable, time: string): Queryable {
  const views = viewsAt(timeKeyOf(time));
  const query = (text: string, values: unknown[]) => db.query(`${views}${joined(text)}`, values);
  return { query: query as Queryable['query'] };
}

/** Two lists of views are one. */
function joined(text: string): string {
  const own = /^\s*with\s+/i.exec(text);
  return own === null ? `\n${text}` : `,\n${text.slice(own[0].length)}`;
}

/** By the digits of the time, which nothing else can be in. */
function viewsAt(key: string): string {
  if (!/^[0-9]{17}$/.test(key)) throw new Error('a time has 17 digits');
  const facts = [
    ...['event', 'issuance', 'reward_action', 'delivery', 'delivery_action', 'code_change'],
    'campaign_revision',
  ].map((table) => view(table, `select * from ${table} where recorded_at <= ${key}`));
  return `with ${[
    ...facts,
    versioned({ table: 'decision', id: 'event_id', changedAt: 'recorded_at', key }),
    versioned({ table: 'reward', id: 'reward_id', changedAt: 'changed_at', key }),
  ].join(',\n')}`;
}

function versioned({ table, id, changedAt, key }: Versioned): string {
  const older = `${table}_version`;
  return view(
    table,
    `select * from ${table} where ${changedAt} <= ${key}
     union all
     select * from ${older} as known
     where ${changedAt} <= ${key}
       and not exists (select from ${table} as newest
         where newest.${id} = known.${id} and newest.${changedAt} <= ${key})
       and not exists (select from ${older} as newer
         where newer.${id} = known.${id} and newer.version > known.version
           and newer.${changedAt} <= ${key})`,
  );
}

type Versioned = { table: string; id: string; changedAt: string; key: string };

function view(table: string, definition: string): string {
  return `${table} as not materialized (\n${definition})`;
}
