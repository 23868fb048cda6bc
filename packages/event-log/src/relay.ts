import type { Gauges } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';
import { sharedLook } from '@tributary/runtime/shared-look';
import type pg from 'pg';
import type { Appender } from './appender.ts';
import { createLeftRows } from './left-rows.ts';
import {
  measureOutbox,
  type OutboxRow,
  type OutboxSize,
  removeRows,
  type RowId,
} from './outbox-rows.ts';

/**
 * From a committed transaction to the log (docs/decisions/0034). A row of an outbox has the records
 * of one transaction, and is removed after the broker's ack for all of them:
 *
 *   committed ──▶ sent from memory, once ──ack──▶ removed
 *       │                   └─refused─┐
 *       └─ nobody sends it ───────────┴─▶ left ──read from the table, again and again──▶ removed
 *
 * A row is left when its writer died, stopped, has no relay or too much in memory, or does not know
 * of its commit. Others notice by its age. A crash between ack and removal sends records twice,
 * which changes nothing: ids are derived and entities carry versions (design 6).
 *
 * Records of one process leave in the order in which its commits were acknowledged. What is left is
 * overtaken by what is not, and processes do not wait for each other: readers tell by the version.
 */
export type Relay = {
  /** Sends what transactions of that pool commit, too: they find the same table by its name. */
  follow(other: pg.Pool): void;
  start(): Promise<void>;
  health(): { ok: boolean; detail?: string };
  gauges: Gauges;
  /** Records not yet on the log, of all processes. */
  pending(): Promise<number>;
  stop(): Promise<void>;
};

type Committed = OutboxRow & {
  /** False: it may have been taken back, by a savepoint. */
  certain: boolean;
};
type Sender = { table: string; isRunning: () => boolean; send: (row: Committed) => void };

/** By the pools whose transactions they follow. */
const senders = new WeakMap<pg.Pool, Sender[]>();

/** A row that a transaction of this pool has just committed. */
export function sendCommitted(pool: pg.Pool, table: string, row: Committed): void {
  const ofPool = senders.get(pool) ?? [];
  ofPool.find((one) => one.table === table && one.isRunning())?.send(row);
}

const retryMs = 500;
/** Some 20 MB. */
const maxRecordsInMemory = 10_000;

export function createRelay(options: {
  pool: pg.Pool;
  appender: Appender;
  logger: Logger;
  table?: string;
  /** Between two looks for rows that were left. */
  pollMs?: number;
  /** After that, whoever wrote a row sends it no more; see left-rows.ts. */
  leftAfterMs?: number;
  /** Removes the rows of so many milliseconds' acks together; 0 where an answer waits for that. */
  removeEveryMs?: number;
}): Relay {
  const { pool, appender, logger, table = 'outbox', pollMs = 1_000, leftAfterMs } = options;
  const { removeEveryMs = 500 } = options;
  /** Rows that are sent from memory, and how many records they have. */
  const underWay = new Set<string>();
  let inMemory = 0;
  const sends = new Set<Promise<void>>();
  const acked: RowId[] = [];
  let isRunning = false;

  const removals = createRepeater({
    everyMs: pollMs,
    gatherMs: removeEveryMs,
    retryMs,
    work: removeAcked,
    onFailure: (error, failures) =>
      logger.warn('rows of the outbox cannot be removed; trying again', {
        table,
        failures,
        error: (error as Error).message,
      }),
  });
  const leftRows = createLeftRows({
    pool,
    appender,
    logger,
    table,
    pollMs,
    leftAfterMs,
    ownIds: () => [...underWay, ...acked.map(({ id }) => id)],
  });
  const sender: Sender = { table, isRunning: () => isRunning, send };
  follow(pool);

  function follow(other: pg.Pool): void {
    senders.set(other, [...(senders.get(other) ?? []), sender]);
  }

  function send({ entries, certain, ...row }: Committed): void {
    const hasRoom = inMemory + entries.length <= maxRecordsInMemory;
    if (!certain || !hasRoom) return leftRows.add(row.id);
    inMemory += entries.length;
    underWay.add(row.id);
    const sent = appender
      .append(entries)
      .then(
        () => {
          acked.push(row);
          removals.wake();
        },
        // Once only: a row that is tried later must be known to be in the table still.
        () => leftRows.add(row.id),
      )
      .finally(() => {
        inMemory -= entries.length;
        underWay.delete(row.id);
        sends.delete(sent);
      });
    sends.add(sent);
  }

  async function removeAcked(): Promise<void> {
    if (acked.length === 0) return;
    const rows = acked.slice();
    await removeRows(pool, table, rows);
    acked.splice(0, rows.length);
  }

  const measure = sharedLook(() => measureOutbox(pool, table));
  const gauge = (help: string, member: keyof OutboxSize) => ({
    help: `${help} Every replica counts the whole table; use max.`,
    labels: ['outbox'],
    read: async () => [{ labels: { outbox: table }, value: (await measure())[member] }],
  });

  return {
    follow,
    start() {
      isRunning = true;
      removals.start();
      leftRows.start();
      return Promise.resolve();
    },
    health() {
      if (removals.failures() >= 3) return { ok: false, detail: `${table} cannot be written` };
      return leftRows.health();
    },
    gauges: {
      tributary_outbox_records: gauge('Records that are committed and not on the log.', 'records'),
      tributary_outbox_oldest_seconds: gauge(
        'How long ago the oldest of these was written; 0 when there is none.',
        'oldestSeconds',
      ),
    },
    pending: async () => (await measure()).records,
    async stop() {
      isRunning = false;
      await Promise.all([leftRows.stop(), removals.stop()]);
      await Promise.allSettled(sends);
      await removeAcked().catch(() => undefined);
    },
  };
}
