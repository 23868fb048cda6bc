import { readPositions } from '@tributary/event-log/position';
import type { Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';

type Positions = ReadonlyMap<string, bigint>;

/**
 * Whether a projection's schema is the one it was: positions only ever go forward. When they are
 * gone, or one is behind where it was before, the database was dropped, or restored from an older
 * backup, or its successor missed the last commits, under this process. Asked each second by the
 * host, and by a transaction that must not trust such a database before the host has seen it. A
 * batch cannot slip in before: its fence finds another position, and the partition is claimed again
 * after two seconds only.
 */
export function createPositionWatch(options: {
  pool: pg.Pool;
  /** Name of the projection. */
  projection: string;
  /** What this process has committed of it, which is more than was seen by looking now and then. */
  committed?: () => Positions;
}): (db?: Pick<Tx, 'query'>) => Promise<boolean> {
  const { pool, projection, committed = () => new Map() } = options;
  let seen: Positions = new Map();

  return async function isIntact(db = pool) {
    // As known before the look: what is committed meanwhile may not be in what it finds.
    const known = furthest(seen, committed());
    try {
      const now = await readPositions(db, projection);
      const isBehind = [...known].some(([partition, next]) => (now.get(partition) ?? -1n) < next);
      if (!isBehind) seen = furthest(seen, now);
      return !isBehind;
    } catch (error) {
      // A database that does not answer says nothing; one that has no such table does.
      const { code } = error as { code?: unknown };
      return code !== '42P01' && code !== '3F000';
    }
  };
}

function furthest(a: Positions, b: Positions): Positions {
  const all = new Map(a);
  for (const [partition, next] of b) {
    if (next > (all.get(partition) ?? -1n)) all.set(partition, next);
  }
  return all;
}
