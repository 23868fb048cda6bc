import { setTimeout as delay } from 'node:timers/promises';
import type { Codec } from '@tributary/contracts/record';
import { afterCommit, type Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';
import type { Entry } from './appender.ts';
import { insertRow, readOwnRows } from './outbox-rows.ts';
import { sendCommitted } from './relay.ts';

/**
 * Has these records on the log once the transaction is committed. They are one row of the outbox,
 * written in the transaction that decided them. When the commit is acknowledged, the relay of this
 * process sends them from memory; what it does not send, a relay reads from the table (relay.ts).
 */
export async function enqueue(tx: Tx, entries: readonly Entry[], table = 'outbox'): Promise<void> {
  if (entries.length === 0) return;
  const row = await insertRow(tx, table, entries);
  if (row) afterCommit(tx, (pool) => sendCommitted(pool, table, { ...row, entries }));
}

/** What this very transaction has enqueued so far, in order: what is sent if it commits. */
export function readEnqueued(tx: Tx, table = 'outbox'): Promise<Entry[]> {
  return readOwnRows(tx, table);
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
  { key, boundMs }: { key: string; boundMs: number },
): Promise<boolean> {
  const deadline = performance.now() + boundMs;
  const newest = await newestWaiting(db, key);
  let pauseMs = firstPauseMs;
  for (let left = newest; left !== null; left = await newestWaiting(db, key, newest)) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return false;
    await delay(Math.min(pauseMs, leftMs));
    pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
  }
  return true;
}

async function newestWaiting(
  db: Pick<pg.Pool, 'query'>,
  key: string,
  upTo: string | null = null,
): Promise<string | null> {
  const { rows } = await db.query<{ newest: string | null }>(
    `select max(id) as newest from outbox
     where id <= coalesce($2::bigint, id) and exists (
       select from unnest(coalesce(keys, array[key])) as own (name)
       where own.name = $1 or starts_with(own.name, $1 || ':'))`,
    [key, upTo],
  );
  return rows[0]?.newest ?? null;
}

const firstPauseMs = 10;
const longestPauseMs = 250;
