import { createHash } from 'node:crypto';
import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';

/** Fixed: two versions running side by side must agree on the lane of a row. */
const laneCount = 4;

/** A live holder asks every second or so; a stopped one loses its lanes after this. */
const idleLimitMs = 15_000;

export function laneOf(topic: string, key: string): number {
  return createHash('md5').update(`${topic}/${key}`).digest().readUInt8(0) % laneCount;
}

/**
 * Which lanes of an outbox this process relays: those whose advisory lock it got, on a connection
 * of its own that also listens for wake-ups. When that connection dies the locks are gone, another
 * process takes over, and this one starts to ask again. A dead holder's last sends may then still
 * be under way; that is harmless (see outbox.ts).
 */
export function createLaneLocks(options: {
  pool: pg.Pool;
  logger: Logger;
  table: string;
  channel: string;
  onWake: () => void;
}) {
  const { pool, logger, table, channel, onWake } = options;
  let client: pg.PoolClient | undefined;
  let lanes: number[] = [];
  let triedAt = -Infinity;

  function drop(lost: pg.PoolClient): void {
    if (client !== lost) return;
    client = undefined;
    lanes = [];
    lost.release(true);
  }

  async function connect(): Promise<pg.PoolClient> {
    const fresh = await pool.connect();
    let schema: string | undefined;
    const lost = (error?: Error) => {
      if (client !== fresh) return;
      logger.warn('the relay lost its lane locks', { table, error: error?.message });
      drop(fresh);
    };
    fresh.on('error', lost);
    fresh.on('end', lost);
    fresh.on('notification', ({ payload }) => {
      if (payload === schema) onWake();
    });
    try {
      const { rows } = await fresh.query<{ name: string }>('select current_schema() as name');
      schema = rows[0]?.name;
      // A process that is stopped keeps its connection open; the server ends the session for it.
      await fresh.query(`set idle_session_timeout = '${idleLimitMs}ms'`);
      await fresh.query(`listen ${channel}`);
    } catch (error) {
      fresh.release(error as Error);
      throw error;
    }
    return fresh;
  }

  return {
    /**
     * Lanes held now. Asks for the missing ones once a second; with all of them held the question
     * still goes out, as the sign of life that keeps the session.
     */
    async held(): Promise<readonly number[]> {
      client ??= await connect();
      const now = performance.now();
      if (now - triedAt < 1_000) return lanes;
      triedAt = now;
      const asked = client;
      try {
        const { rows } = await asked.query<{ lane: number }>(
          `select lane from generate_series(0, $1::int - 1) as lane
           where lane <> all($2::int[])
             and pg_try_advisory_lock(hashtext(current_schema() || '/' || $3), lane)`,
          [laneCount, lanes, table],
        );
        if (client === asked) lanes = [...lanes, ...rows.map((row) => row.lane)].sort();
      } catch (error) {
        drop(asked);
        throw error;
      }
      return lanes;
    },
    release(): Promise<void> {
      const last = client;
      client = undefined;
      lanes = [];
      // Closing the connection is what frees the locks.
      last?.release(true);
      return Promise.resolve();
    },
  };
}
