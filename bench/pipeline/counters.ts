import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

export type RowCounts = { inserted: number; updated: number; deleted: number };

/** What Postgres has counted in one database so far. */
export type Counters = {
  /** By `schema.table`. Rows of transactions that were rolled back count too. */
  rows: Map<string, RowCounts>;
  /** Ended ones, those of single statements and of whoever asks included. */
  transactions: number;
};

/**
 * Postgres' sessions report what they have done when they are idle for a while or end: this waits
 * until there is none but the one that asks.
 */
export async function readCounters(db: pg.ClientBase): Promise<Counters> {
  await untilAlone(db);
  const tables = await db.query<{ name: string } & Record<keyof RowCounts, string>>(
    `select schemaname || '.' || relname as name, n_tup_ins as inserted, n_tup_upd as updated,
       n_tup_del as deleted
     from pg_stat_user_tables`,
  );
  const ended = await db.query<{ transactions: string }>(
    `select xact_commit + xact_rollback as transactions
     from pg_stat_database where datname = current_database()`,
  );
  return {
    rows: new Map(tables.rows.map(({ name, ...counts }) => [name, toNumbers(counts)])),
    transactions: Number(ended.rows[0]!.transactions),
  };
}

/** What happened between two looks; tables that nothing happened to are left out. */
export function countersBetween(before: Counters, after: Counters): Counters {
  const nothing = { inserted: 0, updated: 0, deleted: 0 };
  const rows = [...after.rows].map(([name, now]) => {
    const then = before.rows.get(name) ?? nothing;
    const between = {
      inserted: now.inserted - then.inserted,
      updated: now.updated - then.updated,
      deleted: now.deleted - then.deleted,
    };
    return [name, between] as const;
  });
  return {
    rows: new Map(rows.filter(([, counts]) => sumOf(counts) > 0)),
    transactions: after.transactions - before.transactions,
  };
}

export const sumOf = ({ inserted, updated, deleted }: RowCounts) => inserted + updated + deleted;

/** Rows on their way to the log: written, read and deleted again. */
export const isOutbox = (table: string) => /outbox/.test(table);

async function untilAlone(db: pg.ClientBase): Promise<void> {
  const others = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and backend_type in ('client backend', 'autovacuum worker')
      and pid <> pg_backend_pid()`;
  for (const deadline = performance.now() + 60_000; ; await delay(100)) {
    const { rows } = await db.query<{ count: number }>(others);
    if (rows[0]!.count === 0) break;
    if (performance.now() > deadline) throw new Error('somebody else stays in the database');
  }
  // One that has just left may not have reported yet, and this one shall see all that was.
  await delay(500);
  await db.query('select pg_stat_force_next_flush()');
  await db.query('select pg_stat_clear_snapshot()');
}

function toNumbers(counts: Record<keyof RowCounts, string>): RowCounts {
  const { inserted, updated, deleted } = counts;
  return { inserted: Number(inserted), updated: Number(updated), deleted: Number(deleted) };
}

export async function readWalPosition(db: pg.ClientBase): Promise<string> {
  const { rows } = await db.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
  return rows[0]!.lsn;
}

export async function walBytesBetween(db: pg.ClientBase, from: string, to: string) {
  const sql = 'select pg_wal_lsn_diff($2::pg_lsn, $1::pg_lsn)::text as bytes';
  const { rows } = await db.query<{ bytes: string }>(sql, [from, to]);
  return Number(rows[0]!.bytes);
}
