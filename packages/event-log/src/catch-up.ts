import type pg from 'pg';
import type { KafkaConnection } from './kafka.ts';
import { partitionOf } from './partitioner.ts';
import { readPositions, readStopped, topicOfPartition } from './position.ts';
import type { Projection } from './projection.ts';
import { unreadPartitions } from './unread-partitions.ts';
import { readWatermarks } from './watermarks.ts';

/**
 * Whether a projection has applied what the log had when this was first asked, by whichever
 * process. For work that must not start on a database that was dropped or restored from an older
 * backup: the log knows what was done since (design 4, promise 10).
 *
 * The ends are looked up once: under steady load the log always has an end that was not read yet.
 * Partitions that a process had to stop (a newer schema, a recreated topic) are not waited for,
 * whichever process it is: one tenant's odd record must not hold up everybody's work. They are not
 * read for all that: who must not do what their records say was done asks `isUnread`, and leaves it
 * alone.
 *
 * When the projection finds its database older than it was, the answer is no again, until what the
 * log has by then is applied.
 */
export type CatchUp = {
  (): Promise<boolean>;
  /** Partitions that were not read up to that end when it was last asked, as `topic/partition`. */
  unread(): readonly string[];
  /** Whether the partition of this key is one of them; before the first answer each is. */
  isUnread(topic: string, key: string): boolean;
  /** For how long nobody has read anything of those; zero before the first answer. */
  stillMs(): number;
};

export function createCatchUp(options: {
  kafka: KafkaConnection;
  pool: pg.Pool;
  /** Name of the projection. */
  name: string;
  projection: Pick<Projection, 'setbacks'>;
  topics: readonly string[];
  /** Those of them whose records expire; of all others each record must have been read. */
  expiring?: readonly string[];
}): CatchUp {
  const { kafka, pool, name, projection, topics, expiring = [] } = options;
  let ends: Awaited<ReturnType<typeof readWatermarks>> | undefined;
  let unread: ReadonlySet<string> | undefined;
  let reached = false;
  let setbacks: number | undefined;
  let stand: { at: string; sinceMs: number } | undefined;

  async function caughtUp(): Promise<boolean> {
    if (setbacks !== projection.setbacks()) {
      setbacks = projection.setbacks();
      ends = undefined;
      unread = undefined;
      stand = undefined;
      reached = false;
    }
    if (reached && unread?.size === 0) return true;
    const asked = setbacks;
    const marks = (ends ??= await readWatermarks(kafka, topics));
    const stopped = await readStopped(pool, name);
    const positions = await readPositions(pool, name);
    const left = unreadPartitions(marks, positions, stopped, (partition) =>
      expiring.includes(topicOfPartition(partition)),
    );
    if (asked !== projection.setbacks()) return false;
    unread = new Set(left.unread);
    const at = left.unread.map((partition) => `${partition} ${positions.get(partition)}`).join();
    if (stand?.at !== at) stand = { at, sinceMs: performance.now() };
    // Once passed over, a partition is not waited for while somebody else claims it, either.
    reached ||= !left.isToWaitFor;
    return reached;
  }

  return Object.assign(caughtUp, {
    unread: () => [...(unread ?? [])],
    stillMs: () => (stand === undefined ? 0 : performance.now() - stand.sinceMs),
    isUnread(topic: string, key: string) {
      if (unread === undefined || ends === undefined) return true;
      if (unread.size === 0) return false;
      const partitions = [...ends.keys()].filter((at) => at.startsWith(`${topic}/`)).length;
      return unread.has(`${topic}/${partitionOf(topic, key, partitions)}`);
    },
  });
}
