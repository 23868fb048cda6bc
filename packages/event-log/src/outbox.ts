import { setTimeout as delay } from 'node:timers/promises';
import type { Codec } from '@tributary/contracts/record';
import { columnsOf } from '@tributary/runtime/columns';
import type { Gauges } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import type { Tx } from '@tributary/runtime/postgres';
import { createRepeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import type { Appender, Entry } from './appender.ts';
import { createLaneLocks, laneOf } from './lanes.ts';

/**
 * From a committed transaction to the log. A service enqueues records in the transaction that
 * decided them; a relay appends the rows and removes them after the broker's ack. A crash between
 * ack and removal sends a record twice, which changes nothing: ids are derived and entities carry
 * versions (design 6).
 *
 * Rows of one key share a lane, and one relay of all processes is active per lane, so records of a
 * key leave in the order of their transactions. A row whose append is refused stays and is tried
 * again; rows behind it pass it by, those of its own key too, and readers tell by the version.
 */
export async function enqueue(tx: Tx, entries: readonly Entry[], table = 'outbox'): Promise<void> {
  if (entries.length === 0) return;
  await tx.query(
    `with written as (
       insert into ${identifier(table)} (lane, topic, key, value)
       select lane, topic, key, value
       from unnest($1::smallint[], $2::text[], $3::text[], $4::text[])
         with ordinality as entry (lane, topic, key, value, position)
       order by position
     )
     select pg_notify($5, (
       select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
       where pg_class.oid = $6::regclass))`,
    [
      ...columnsOf(entries, (e) => laneOf(e.topic, e.key), 'topic', 'key', 'value'),
      channelOf(table),
      table,
    ],
  );
}

/**
 * What this very transaction has enqueued so far, in order: what is sent if it commits. `now()` is
 * the moment at which a transaction began, to the microsecond; `xmin` would not do, which is
 * another one after a savepoint.
 */
export async function readEnqueued(tx: Tx, table = 'outbox'): Promise<Entry[]> {
  const { rows } = await tx.query<Entry>(
    `select topic, key, value from ${identifier(table)} where created_at = now() order by id`,
  );
  return rows;
}

/** The records among them of one topic. */
export async function readEnqueuedRecords<T>(tx: Tx, topic: string, codec: Codec<T>): Promise<T[]> {
  const values = (await readEnqueued(tx)).flatMap((entry) =>
    entry.topic === topic && entry.value !== null ? [entry.value] : [],
  );
  return values.flatMap((value) => {
    const decoded = codec.decode(Buffer.from(value));
    return decoded.outcome === 'record' ? [decoded.value] : [];
  });
}

/**
 * Waits until the records that are in the outbox now, of this key and of keys below it (`key:…`),
 * are on the log: for an answer that somebody acts on at once. False when they are not within the
 * bound; they will be later. It looks less and less often, as a look reads the whole outbox, which
 * is long exactly when nothing leaves it.
 */
export async function awaitRelayed(
  db: Pick<pg.Pool, 'query'>,
  { topics, key, boundMs }: { topics: readonly string[]; key: string; boundMs: number },
): Promise<boolean> {
  const deadline = performance.now() + boundMs;
  const newest = await newestWaiting(db, topics, key);
  let pauseMs = firstPauseMs;
  for (let left = newest; left !== null; left = await newestWaiting(db, topics, key, newest)) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return false;
    await delay(Math.min(pauseMs, leftMs));
    pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
  }
  return true;
}

async function newestWaiting(
  db: Pick<pg.Pool, 'query'>,
  topics: readonly string[],
  key: string,
  upTo: string | null = null,
): Promise<string | null> {
  const { rows } = await db.query<{ newest: string | null }>(
    `select max(id) as newest from outbox
     where topic = any($1) and (key = $2 or starts_with(key, $2 || ':'))
       and id <= coalesce($3::bigint, id)`,
    [topics, key, upTo],
  );
  return rows[0]?.newest ?? null;
}

const firstPauseMs = 10;
const longestPauseMs = 250;

export type Relay = {
  start(): Promise<void>;
  health(): { ok: boolean; detail?: string };
  gauges: Gauges;
  /** Rows not yet on the log, of all lanes. */
  pending(): Promise<number>;
  stop(): Promise<void>;
};

/** Rows and acks come in flurries; one look serves those of some milliseconds. */
const gatherMs = 12;
const retryMs = 500;
const maxUnderWay = 5_000;
const pageSize = 1_000;

export function createRelay(options: {
  pool: pg.Pool;
  appender: Appender;
  logger: Logger;
  table?: string;
  /** What the number of pending rows is called among the metrics. */
  gauge?: { name: string; help: string };
  /** How long to sleep without a wake-up; notifications are a courtesy, this is the promise. */
  pollMs?: number;
}): Relay {
  const { pool, appender, logger, table = 'outbox', gauge, pollMs = 1_000 } = options;
  const name = identifier(table);
  const underWay = new Set<string>();
  const acked: RowId[] = [];
  /** Rows refused here, how often and when last; another process may send them meanwhile. */
  const refusals = new Map<string, { times: number; atMs: number }>();
  const sends = new Set<Promise<void>>();
  const looks = createRepeater({
    everyMs: pollMs,
    gatherMs,
    retryMs,
    work: look,
    onFailure: (error, failures) =>
      logger.warn('the outbox cannot be read; trying again', {
        table,
        failures,
        error: (error as Error).message,
      }),
  });
  const onWake = () => looks.wake();
  const locks = createLaneLocks({ pool, logger, table, channel: channelOf(table), onWake });

  async function look(stopping: () => boolean): Promise<void> {
    for (let found = pageSize; found === pageSize && !stopping();) {
      const lanes = await locks.held();
      await removeAcked();
      found = lanes.length === 0 ? 0 : await sendPage(lanes);
    }
  }

  /** Starts the append of the next rows; does not wait for it. */
  async function sendPage(lanes: readonly number[]): Promise<number> {
    const room = Math.min(pageSize, maxUnderWay - underWay.size);
    if (room <= 0) return 0;
    const { rows } = await pool.query<RowId & Entry>(
      `select id, created_at::text as written_at, topic, key, value from ${name}
       where lane = any($1) and id <> all($2::bigint[])
       order by id limit $3`,
      [lanes, [...underWay, ...acked.map(({ id }) => id)], room],
    );
    for (const row of rows) send(row);
    return rows.length;
  }

  function send({ id, written_at, topic, key, value }: RowId & Entry): void {
    underWay.add(id);
    const sent = appender.append([{ topic, key, value }]).then(
      () => {
        underWay.delete(id);
        refusals.delete(id);
        acked.push({ id, written_at });
        looks.wake();
      },
      () => {
        // It stays in the table; after a pause the next page picks it up again.
        refusals.set(id, {
          times: (refusals.get(id)?.times ?? 0) + 1,
          atMs: performance.now(),
        });
        setTimeout(() => underWay.delete(id), retryMs).unref();
      },
    );
    sends.add(sent);
    void sent.finally(() => sends.delete(sent));
  }

  /**
   * A row that is still here is tried, and refused, again before the append deadline is over twice.
   */
  function countStuck(): number {
    const recentMs = performance.now() - 7_000;
    for (const [id, { atMs }] of refusals) if (atMs < recentMs) refusals.delete(id);
    return [...refusals.values()].filter(({ times }) => times >= 5).length;
  }

  async function removeAcked(): Promise<void> {
    if (acked.length === 0) return;
    const rows = acked.slice();
    await pool.query(
      `delete from ${name} as o using unnest($1::bigint[], $2::timestamptz[]) as a (id, written_at)
       where o.id = a.id and o.created_at = a.written_at`,
      [rows.map(({ id }) => id), rows.map(({ written_at }) => written_at)],
    );
    acked.splice(0, rows.length);
  }

  async function pending(): Promise<number> {
    const { rows } = await pool.query<{ count: string }>(`select count(*) as count from ${name}`);
    return Number(rows[0]?.count ?? 0);
  }

  return {
    start() {
      looks.start();
      return Promise.resolve();
    },
    health() {
      if (looks.failures() >= 3) return { ok: false, detail: `${table} cannot be read` };
      const stuck = countStuck();
      if (stuck === 0) return { ok: true };
      return { ok: false, detail: `${stuck} records of ${table} are refused again and again` };
    },
    gauges: gauge ? { [gauge.name]: { help: gauge.help, read: pending } } : {},
    pending,
    async stop() {
      await looks.stop();
      await Promise.allSettled(sends);
      await removeAcked().catch(() => undefined);
      await locks.release();
    },
  };
}

/**
 * A database that falls back gives ids a second time (decision 25); the time tells the rows apart.
 */
type RowId = { id: string; written_at: string };

function channelOf(table: string): string {
  return `relay_${table}`;
}

function identifier(table: string): string {
  if (!/^[a-z_]+$/.test(table)) throw new Error(`not a table name: ${table}`);
  return table;
}
