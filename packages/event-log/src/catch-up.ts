import type pg from 'pg';
import type { KafkaConnection } from './kafka.ts';
import { readPositions } from './position.ts';
import type { Projection } from './projection.ts';
import { readWatermarks } from './watermarks.ts';

/**
 * Whether a projection has applied what the log had when this was first asked, by whichever
 * process. For work that must not start on a database that was dropped or restored from an older
 * backup: the log knows what was done since (design 4, promise 10).
 *
 * The ends are looked up once: under steady load the log always has an end that was not read yet.
 * Partitions that this process had to stop (a newer schema, a recreated topic) are not waited for:
 * one tenant's odd record must not hold up everybody's work.
 */
export function createCatchUp(options: {
  kafka: KafkaConnection;
  pool: pg.Pool;
  /** Name of the projection. */
  name: string;
  projection: Pick<Projection, 'partitions'>;
  topics: readonly string[];
}): () => Promise<boolean> {
  const { kafka, pool, name, projection, topics } = options;
  let ends: Awaited<ReturnType<typeof readWatermarks>> | undefined;
  let reached = false;

  return async function caughtUp() {
    if (reached) return true;
    ends ??= await readWatermarks(kafka, topics);
    const positions = await readPositions(pool, name);
    const stopped = new Set(
      projection
        .partitions()
        .filter(({ state }) => state === 'newer-schema' || state === 'refused')
        .map(({ topic, partition }) => `${topic}/${partition}`),
    );
    reached = [...ends].every(
      ([partition, { low, high }]) =>
        high === low || stopped.has(partition) || (positions.get(partition) ?? 0n) >= high,
    );
    return reached;
  };
}
