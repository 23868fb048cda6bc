import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';
import type { KafkaConnection } from './kafka.ts';
import { readPositions, readStopped } from './position.ts';
import { createReadBarrier, type ReadBarrier } from './read-barrier.ts';

/**
 * The barrier of a projection. Its positions stand beside the rows that whoever asks reads from, so
 * it does not matter which of the replicas applied the records, or had to stop before them.
 */
export function createProjectionBarrier(options: {
  kafka: KafkaConnection;
  logger: Logger;
  /**
   * Reaches the schema with the rows; called each time, as another generation may be live by then.
   */
  pool: () => Pick<pg.Pool, 'query'>;
  /** Name of the projection. */
  name: string;
  topics: readonly string[];
}): ReadBarrier {
  const { kafka, logger, pool, name, topics } = options;
  return createReadBarrier({
    kafka,
    logger,
    topics,
    positions: () => readPositions(pool(), name),
    stopped: () => readStopped(pool(), name),
  });
}
