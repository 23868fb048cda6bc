import type { Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { readPositions } from './position.ts';

type Positions = ReadonlyMap<string, bigint>;

/**
 * Whether a projection's schema is the one it was: positions only ever go forward. When they are
 * gone, or one is behind where it was before, the database was dropped, or restored from an older
 * backup, or its successor missed the last commits, under this process. Asked each second by the
 * projection (decision 25), and by a transaction that must not trust such a database before that.
 */
export type PositionWatch = {
  /**
   * Asks the given database. One that does not answer says nothing, and counts as intact. What a
   * transaction sees that has moved positions itself is not `remembered`: it may roll back.
   */
  isIntact(db?: Pick<Tx, 'query'>, options?: { remembered: boolean }): Promise<boolean>;
  /** Takes the database for what it is now. */
  forget(): void;
};

export function createPositionWatch(options: {
  pool: pg.Pool;
  /** Name of the projection. */
  projection: string;
  /**
   * What this process has claimed and committed of it: more than is seen by looking now and then.
   */
  known: Map<string, bigint>;
}): PositionWatch {
  const { pool, projection, known } = options;
  let seen: Positions = new Map();

  return {
    async isIntact(db = pool, { remembered } = { remembered: true }) {
      // As known before the look: what is committed meanwhile may not be in what it finds.
      const before = furthest(seen, known);
      try {
        const now = await readPositions(db, projection);
        const isBehind = [...before].some(
          ([partition, next]) => (now.get(partition) ?? -1n) < next,
        );
        if (!isBehind && remembered) seen = furthest(seen, now);
        return !isBehind;
      } catch (error) {
        // A database that does not answer says nothing; one that has no such table does.
        const { code } = error as { code?: unknown };
        return code !== '42P01' && code !== '3F000';
      }
    },
    forget() {
      seen = new Map();
      known.clear();
    },
  };
}

function furthest(a: Positions, b: Positions): Positions {
  const all = new Map(a);
  for (const [partition, next] of b) {
    if (next > (all.get(partition) ?? -1n)) all.set(partition, next);
  }
  return all;
}
