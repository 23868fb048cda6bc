import { randomUUID } from 'node:crypto';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import { beatWorker, registerWorker, removeWorker } from '../db/worker-rows.ts';
import type { DatabaseClock } from './database-clock.ts';

/**
 * That this process lives, said in one row of the database instead of one per claim: the claims of
 * a worker hold as long as its row says so, and a heartbeat costs the same however much is claimed.
 *
 *   (none) ──register──▶ alive ──no heartbeat for a lease──▶ dead: a sweep frees what it held
 *                          ▲           │
 *                          └─new id────┘  this process was asleep or cut off, and lives
 *
 * A lease is never revived: who finds it ended takes a new id. So an id stands for one stretch of
 * unbroken life, and "dead" is final for everybody who reads the row.
 *
 * This process counts by its own monotonic clock from before a heartbeat was sent, and the database
 * from when it arrived: it thinks itself dead first. An exchange starts only if its whole timeout
 * still fits, so it is over before the lease can be.
 */
export type WorkerLease = {
  start(): void;
  /** The id to claim with; undefined while the database has not confirmed one. */
  workerId(): string | undefined;
  /** Whether an exchange that starts now on a claim of this worker is over before its lease is. */
  mayStart(workerId: string): boolean;
  /**
   * Never uses the present id again. For a claim of which nobody knows whether it was made: its
   * rows are freed when the lease has ended.
   */
  abandon(): void;
  health(): { ok: boolean; detail?: string };
  /** Ends the lease at once, where nothing is claimed under it any more; else it runs out. */
  stop(options: { nothingClaimed: boolean }): Promise<void>;
};

export function createWorkerLease(options: {
  pool: pg.Pool;
  logger: Logger;
  clock: DatabaseClock;
  /** Names this process, for people. */
  name: string;
  leaseMs: number;
  /** The limit of an exchange. */
  timeoutMs: number;
  /** There is an id to claim with, or another one. */
  onRegistered: () => void;
}): WorkerLease {
  const { pool, logger, clock, name, leaseMs, timeoutMs, onRegistered } = options;
  // From the time that the lease has beside a whole exchange: some heartbeats may fail before
  // anything waits.
  const beatMs = (leaseMs - timeoutMs) / 5;
  let worker: { workerId: string; beatAtMs: number } | undefined;
  let failures = 0;
  const beats = createRepeater({ everyMs: beatMs, work: beat });

  /** Says when the next one is due. */
  async function beat(): Promise<number> {
    try {
      if (worker) await lengthen(worker);
      if (!worker) await register();
      failures = 0;
      return beatMs;
    } catch (error) {
      failures += 1;
      logger.warn('no heartbeat of this worker', { failures, error: (error as Error).message });
      return Math.min(beatMs, retryMs);
    }
  }

  async function lengthen(current: { workerId: string; beatAtMs: number }): Promise<void> {
    const sentMs = performance.now();
    const now = await beatWorker(pool, { workerId: current.workerId, leaseMs });
    if (now) {
      clock.observe(now, sentMs, performance.now());
      current.beatAtMs = sentMs;
      return;
    }
    logger.warn('the lease of this worker has ended; going on as another', {
      workerId: current.workerId,
    });
    if (worker === current) worker = undefined;
  }

  async function register(): Promise<void> {
    const workerId = randomUUID();
    const sentMs = performance.now();
    const now = await registerWorker(pool, { workerId, name, leaseMs });
    clock.observe(now, sentMs, performance.now());
    worker = { workerId, beatAtMs: sentMs };
    onRegistered();
  }

  return {
    start: () => beats.start(),
    workerId: () => worker?.workerId,
    mayStart(workerId) {
      if (worker?.workerId !== workerId) return false;
      return performance.now() < worker.beatAtMs + leaseMs - timeoutMs;
    },
    abandon() {
      worker = undefined;
      beats.wake();
    },
    health: () =>
      failures < 3 ? { ok: true } : { ok: false, detail: 'heartbeats do not reach the database' },
    async stop({ nothingClaimed }) {
      await beats.stop();
      if (!worker || !nothingClaimed) return;
      await removeWorker(pool, worker.workerId).catch((error: unknown) => {
        logger.warn('the row of this worker stays until its lease ends', { error });
      });
    },
  };
}

const retryMs = 1_000;
