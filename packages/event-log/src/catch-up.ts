import type pg from 'pg';
import type { KafkaConnection } from './kafka.ts';
import { readPositions, readStopped } from './position.ts';
import type { Projection } from './projection.ts';
import { readWatermarks } from './watermarks.ts';

/**
 * Whether a projection has applied what the log had when this was first asked, by whichever
 * process. For work that must not start on a database that was dropped or restored from an older
 * backup: the log knows what was done since (design 4, promise 10).
 *
 * The ends are looked up once: under steady load the log always has an end that was not read yet.
 * Partitions that a process had to stop (a newer schema, a recreated topic) are not waited for,
 * whichever process it is: one tenant's odd record must not hold up everybody's work.
 *
 * When the projection finds its database older than it was, the answer is no again, until what the log
 * has by then is applied.
 */
export function createCatchUp(options: {
  kafka: KafkaConnection;
  pool: pg.Pool;
  /** Name of the projection. */
  name: string;
  projection: Pick<Projection, 'setbacks'>;
  topics: readonly string[];
}): () => Promise<boolean> {
  const { kafka, pool, name, projection, topics } = options;
  let ends: Awaited<ReturnType<typeof readWatermarks>> | undefined;
  let reached = false;
  let setbacks = projection.setbacks();

  return async function caughtUp() {
    if (setbacks !== projection.setbacks()) {
      setbacks = projection.setbacks();
      ends = undefined;
      reached = false;
    }
    if (reached) return true;
    const asked = setbacks;
    const marks = (ends ??= await readWatermarks(kafka, topics));
    const stopped = await readStopped(pool, name);
    const positions = await readPositions(pool, name);
    const isThere = [...marks].every(
      ([partition, { low, high }]) =>
        high === low || stopped.has(partition) || (positions.get(partition) ?? 0n) >= high,
    );
    if (asked !== projection.setbacks()) return false;
    reached = isThere;
    return reached;
  };
}
