import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';
import type { KafkaConnection } from './kafka.ts';
import { readPositions } from './position.ts';
import type { Projection } from './projection.ts';
import { createReadBarrier, type ReadBarrier } from './read-barrier.ts';

/**
 * The barrier of a projection. Its positions stand beside the rows that whoever asks reads from, so
 * it does not matter which of the replicas applied the records.
 */
export function createProjectionBarrier(options: {
  kafka: KafkaConnection;
  logger: Logger;
  /** Of the schema with the rows; asked for each time, as the live generation's may be another one. */
  pool: () => Pick<pg.Pool, 'query'>;
  /** Name of the projection. */
  name: string;
  topics: readonly string[];
  /** The part of it that this process holds: what is stopped here is not waited for. */
  projection?: Pick<Projection, 'partitions'>;
}): ReadBarrier {
  const { kafka, logger, pool, name, topics, projection } = options;
  return createReadBarrier({
    kafka,
    logger,
    topics,
    positions: () => readPositions(pool(), name),
    stopped: () => {
      const held = projection?.partitions() ?? [];
      const ended = held.filter(({ state }) => state === 'newer-schema' || state === 'refused');
      return new Set(ended.map(({ topic, partition }) => `${topic}/${partition}`));
    },
  });
}
