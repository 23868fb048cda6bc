import kafkajs from 'kafkajs';
import type { KafkaConnection } from './kafka.ts';
import { maxPartitionBytes } from './gather.ts';

/** A record to the byte, as it lies on a partition. */
export type RawRecord = { key: Buffer | null; value: Buffer | null };

/**
 * Appends records to the byte to partitions that the caller chose, in order: for an import, which
 * is the only writer while it runs. Everything else appends by appender.ts.
 *
 * The producer is idempotent, so that a request which it had to repeat adds nothing twice, and the
 * offset that every batch got is compared with the one that it must have: whoever else writes to
 * the partition is noticed at once.
 */
export type RawAppender = {
  /** @throws {UnexpectedOffset} */
  append(
    topic: string,
    batches: ReadonlyMap<number, { at: bigint; records: RawRecord[] }>,
  ): Promise<void>;
  stop(): Promise<void>;
};

/** Somebody else appends to the same partition. */
export class UnexpectedOffset extends Error {
  readonly retryable = false;
}

/** What one batch of a partition may hold: the broker refuses more than 1 MiB. */
export const maxRawBatchBytes = maxPartitionBytes;

export async function startRawAppender(kafka: KafkaConnection): Promise<RawAppender> {
  const { client, compression } = kafka;
  const producer = client.producer({
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
    idempotent: true,
    maxInFlightRequests: 1,
    retry: { retries: 8, initialRetryTime: 100, maxRetryTime: 2_000 },
  });
  await producer.connect();
  return {
    async append(topic, batches) {
      const messages = [...batches].flatMap(([partition, { records }]) =>
        records.map(({ key, value }) => ({ key, value, partition })),
      );
      if (messages.length === 0) return;
      const request = { acks: -1, timeout: 30_000, topic, messages, compression };
      const answers = await producer.send(request);
      for (const [partition, { at, records }] of batches) {
        if (records.length === 0) continue;
        const got = answers.find((answer) => answer.partition === partition)?.baseOffset;
        if (got !== String(at)) {
          throw new UnexpectedOffset(
            `${topic}/${partition}: offset ${at} was to be next, the log gave ${got}: ` +
              'somebody else writes to this topic',
          );
        }
      }
    },
    stop: () => producer.disconnect(),
  };
}
