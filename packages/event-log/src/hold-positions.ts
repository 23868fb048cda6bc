import type { Tx } from '@tributary/runtime/postgres';
import { readPositions } from './position.ts';

/**
 * Keeps every projection of this schema, in all processes, from applying a batch until the
 * transaction ends, and says exactly what was applied. Batches under way are waited for; further
 * ones wait at their first statement, which writes a position, and hold nothing else then.
 * Takeovers of partitions wait too, so none appears meanwhile that has been read and is not told.
 *
 * A lock of the table and not of its rows: a batch writes the rows of several partitions in any
 * order, so whoever locked them one by one could wait in a circle with it; and batches that come
 * one upon the other could keep it waiting for ever. Nothing reads less for it.
 *
 * `lock_timeout` is the caller's to set: everybody behind waits for as long as this does.
 */
export async function holdPositions(tx: Tx, projection: string): Promise<Map<string, bigint>> {
  await tx.query('lock table projection_position in share mode');
  // In a statement of its own, so that it sees what those before it committed.
  return readPositions(tx, projection);
}
