import type { Codec } from '@tributary/contracts/record';
import type { Logger } from '@tributary/runtime/logger';
import type { KafkaConnection } from './kafka.ts';
import type { Incoming } from './projection.ts';
import { createTopicReader } from './read-topic.ts';

/**
 * Reads a topic once, from a time or the beginning up to the ends its partitions have now. May
 * hand over a record twice, and some that were appended while it read. Rejects when there are
 * records that this process cannot read: what is behind them was not seen.
 */
export async function scanTopic<T>(options: {
  kafka: KafkaConnection;
  logger: Logger;
  topic: string;
  codec: Codec<T>;
  fromTimestampMs?: number;
  /** Gives the reading up: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  onRecord: (record: Incoming<T>) => void | Promise<void>;
}): Promise<void> {
  const { signal, ...reading } = options;
  signal?.throwIfAborted();
  const reader = createTopicReader(reading);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal?.reason as Error);
  signal?.addEventListener('abort', abort);
  try {
    await Promise.race([reader.readUp(), aborted]);
    const unread = reader.unread();
    if (unread !== undefined) throw new Error(unread);
  } finally {
    signal?.removeEventListener('abort', abort);
    await reader.stop();
  }
}
