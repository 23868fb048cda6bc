import { topicPartitions } from '@tributary/contracts/topics';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { countPartitions } from '@tributary/event-log/topic-admin';
import type { Component } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';

/**
 * How many partitions a topic has, looked at every minute, as it may be given more. A guess until
 * Kafka has answered: it decides nothing but who is quickest.
 */
export function createPartitionCount(options: {
  kafka: KafkaConnection;
  logger: Logger;
  topic: string;
}): Component & { count(): number } {
  const { kafka, logger, topic } = options;
  let count: number = topicPartitions;
  const repeater = createRepeater({
    everyMs: 60_000,
    retryMs: 5_000,
    async work() {
      count = (await countPartitions(kafka, topic)) || count;
    },
    onFailure: (error) => logger.warn('partitions cannot be counted now', { topic, error }),
  });
  return { start: () => repeater.start(), stop: () => repeater.stop(), count: () => count };
}
