import { createHash } from 'node:crypto';
import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';

/** Fixed: two versions running side by side must agree on the lane of a row. */
const laneCount = 4;

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

  async function connect(): Promise<pg.PoolClient> {
    const fresh = await pool.connect();
    let schema: string | undefined;
    const lost = (error?: Error) => {
      if (client !== fresh) return;
      client = undefined;
      lanes = [];
      logger.warn('the relay lost its lane locks', { table, error: error?.message });
      fresh.release(error ?? true);
    };
    fresh.on('error', lost);
    fresh.on('end', lost);
    fresh.on('notification', ({ payload }) => {
      if (payload === schema) onWake();
    });
    try {
      const { rows } = await fresh.query<{ name: string }>('select current_schema() as name');
      schema = rows[0]?.name;
      await fresh.query(`listen ${channel}`);
    } catch (error) {
      fresh.release(error as Error);
      throw error;
    }
    return fresh;
  }

  return {
    /** Lanes held now; asks for the missing ones at most once a second. */
    async held(): Promise<readonly number[]> {
      client ??= await connect();
      const now = performance.now();
      if (lanes.length < laneCount && now - triedAt > 1_000) {
        triedAt = now;
        const { rows } = await client.query<{ lane: number }>(
          `select lane from generate_series(0, $1::int - 1) as lane
           where lane <> all($2::int[])
             and pg_try_advisory_lock(hashtext(current_schema() || '/' || $3), lane)`,
          [laneCount, lanes, table],
        );
        lanes = [...lanes, ...rows.map((row) => row.lane)].sort();
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
