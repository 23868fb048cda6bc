import { readPositions } from '@tributary/event-log/position';
import type pg from 'pg';

/**
 * Whether a projection's schema is the one it was: positions only ever go forward. When they are
 * gone, or one is behind where it was seen before, the database was dropped, or restored from an
 * older backup, under this process. Asked each second by the host. A batch cannot slip in before:
 * its fence finds another position, and the partition is claimed again after two seconds only.
 */
export function createPositionWatch(options: {
  pool: pg.Pool;
  /** Name of the projection. */
  projection: string;
}): () => Promise<boolean> {
  const { pool, projection } = options;
  let seen: ReadonlyMap<string, bigint> = new Map();

  return async function isIntact() {
    try {
      const now = await readPositions(pool, projection);
      const isBehind = [...seen].some(([partition, next]) => (now.get(partition) ?? -1n) < next);
      if (!isBehind) seen = now;
      return !isBehind;
    } catch (error) {
      // A database that does not answer says nothing; one that has no such table does.
      const { code } = error as { code?: unknown };
      return code !== '42P01' && code !== '3F000';
    }
  };
}
