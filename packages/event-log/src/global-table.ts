import type { Codec } from '@tributary/contracts/record';
import type { Logger } from '@tributary/runtime/logger';
import type { KafkaConnection } from './kafka.ts';
import { createTopicReader } from './read-topic.ts';

/**
 * A topic held in memory by every process that needs it (the catalog). `apply` ignores versions
 * not above the one it has, so a record read twice changes nothing.
 */
export type GlobalTable = {
  /** Resolves when caught up to the end of the topic as it was at the start. */
  start(): Promise<void>;
  /** Whether all that the topic held at the time of the call has been read; see read-barrier.ts. */
  becomeCurrent(): Promise<boolean>;
  health(): { ok: boolean; detail?: string };
  stop(): Promise<void>;
};

export function createGlobalTable<T>(options: {
  kafka: KafkaConnection;
  logger: Logger;
  topic: string;
  codec: Codec<T>;
  apply: (value: T, key: string) => void;
}): GlobalTable {
  const { kafka, logger, topic, codec, apply } = options;
  const reader = createTopicReader({
    kafka,
    logger,
    topic,
    codec,
    onRecord: ({ value, key }) => {
      if (value !== null) apply(value, key);
    },
  });
  const { readUp: start, becomeCurrent, health, stop } = reader;
  return { start, becomeCurrent, health, stop };
}
