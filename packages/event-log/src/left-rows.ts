import type { Logger } from '@tributary/runtime/logger';
import { allowIdle, inTransaction, type Tx } from '@tributary/runtime/postgres';
import { createRepeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import type { Appender, Entry } from './appender.ts';
import { keepOnly, type OutboxRow, readLeftRows, removeRows } from './outbox-rows.ts';

/**
 * Sends the rows that were left in an outbox: those so old that whoever wrote them has sent them or
 * will not. One process at a time does it, the one whose transaction has the lock of the table, in
 * the order of the rows. While it waits for acks it is idle in that transaction, so a process that
 * is stopped there loses the lock to another one.
 *
 * A record is appended by itself, and what was refused stays: records behind it pass it by, and
 * those of its row that the log has are not sent again.
 */
export type LeftRowsSender = {
  start(): void;
  /** A row that this process has committed and sends no more; it need not grow old. */
  add(id: string): void;
  health(): { ok: boolean; detail?: string };
  stop(): Promise<void>;
};

/** A row is sent from memory once, and that append is refused after 5 s (appender.ts). */
const usuallyLeftAfterMs = 6_000;
/** An append, and a little. */
const maxIdleMs = 10_000;
/** A refusal is followed by another try after that. */
const retryMs = 500;
const maxRecordsAtOnce = 5_000;

export function createLeftRows(options: {
  pool: pg.Pool;
  appender: Appender;
  logger: Logger;
  table: string;
  pollMs: number;
  leftAfterMs?: number | undefined;
  /** Ids of the rows that this process itself is sending, or has sent. */
  ownIds: () => readonly string[];
}): LeftRowsSender {
  const { pool, appender, logger, table, pollMs, ownIds } = options;
  const { leftAfterMs: olderThanMs = usuallyLeftAfterMs } = options;
  /** When rows were added. */
  const added = new Map<string, number>();
  /** Rows refused here, how often and when last; another process may send them meanwhile. */
  const refusals = new Map<string, { times: number; atMs: number }>();
  const looks = createRepeater({
    everyMs: pollMs,
    gatherMs: retryMs,
    work: look,
    onFailure: (error, failures) =>
      logger.warn('the outbox cannot be read; trying again', {
        table,
        failures,
        error: (error as Error).message,
      }),
  });

  async function look(stopping: () => boolean): Promise<void> {
    // By then it is found by its age.
    const youngMs = performance.now() - olderThanMs;
    for (const [id, atMs] of added) if (atMs < youngMs) added.delete(id);
    let after: string | undefined = '0';
    if ((await readAfter(pool, after, 1)).length === 0) return;
    while (after !== undefined && !stopping()) {
      const from: string = after;
      after = await inTransaction(pool, (tx) => sendPage(tx, from));
    }
  }

  function readAfter(db: Pick<Tx, 'query'>, after: string, maxRecords: number) {
    const known = [...added.keys()];
    return readLeftRows(db, table, { after, except: ownIds(), known, olderThanMs, maxRecords });
  }

  /** Says which row was the last one; none when there is nothing more to do for now. */
  async function sendPage(tx: Tx, after: string): Promise<string | undefined> {
    if (!(await lock(tx))) return undefined;
    await allowIdle(tx, maxIdleMs);
    const rows = await readAfter(tx, after, maxRecordsAtOnce);
    const refused = await Promise.all(rows.map(({ entries }) => appendEach(entries)));
    const sent = rows.filter((_, i) => refused[i]!.length === 0);
    await removeRows(tx, table, sent);
    for (const [i, row] of rows.entries()) await note(tx, row, refused[i]!);
    if (sent.length > 0)
      logger.info('sent what was left in the outbox', { table, rows: sent.length });
    return appender.health().ok ? rows.at(-1)?.id : undefined;
  }

  /** The lock ends with the transaction. Those who were refused it look again later. */
  async function lock(tx: Tx): Promise<boolean> {
    const { rows } = await tx.query<{ free: boolean }>(
      `select pg_try_advisory_xact_lock(
         hashtextextended('outbox/' || current_schema() || '/' || $1, 0)) as free`,
      [table],
    );
    return rows[0]?.free === true;
  }

  async function appendEach(entries: readonly Entry[]): Promise<Entry[]> {
    const refused = await Promise.all(
      entries.map((entry) =>
        appender.append([entry]).then(
          () => [],
          () => [entry],
        ),
      ),
    );
    return refused.flat();
  }

  async function note(tx: Tx, row: OutboxRow, refused: readonly Entry[]): Promise<void> {
    const { id, entries } = row;
    if (refused.length === 0) refusals.delete(id);
    else refusals.set(id, { times: (refusals.get(id)?.times ?? 0) + 1, atMs: performance.now() });
    const isSome = refused.length > 0 && refused.length < entries.length;
    if (isSome) await keepOnly(tx, table, row, refused);
  }

  /** A row that is still here is tried, and refused, again before this is over. */
  function countStuck(): number {
    const recentMs = performance.now() - 2 * maxIdleMs;
    for (const [id, { atMs }] of refusals) if (atMs < recentMs) refusals.delete(id);
    return [...refusals.values()].filter(({ times }) => times >= 5).length;
  }

  return {
    start: () => looks.start(),
    add(id) {
      added.set(id, performance.now());
      looks.wake();
    },
    health() {
      if (looks.failures() >= 3) return { ok: false, detail: `${table} cannot be read` };
      const stuck = countStuck();
      if (stuck === 0) return { ok: true };
      return { ok: false, detail: `${stuck} records of ${table} are refused again and again` };
    },
    stop: () => looks.stop(),
  };
}
