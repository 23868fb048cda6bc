import { randomUUID } from 'node:crypto';
import type { Logger } from '@tributary/runtime/logger';
import type kafkajs from 'kafkajs';
import type { RawRecord } from './append-raw.ts';
import type { KafkaConnection } from './kafka.ts';
import { createSupervisedConsumer } from './supervised-consumer.ts';
import { whyUndecodable } from './undecodable.ts';

export type RawSlice = { partition: number; records: (RawRecord & { offset: string })[] };

/**
 * Reads ranges of the partitions of one topic, each record once and to the byte, in the order of
 * each partition. A broken connection is taken up again where it was. Offsets may be missing inside
 * a range (compacted topics).
 */
export async function readRaw(options: {
  kafka: KafkaConnection;
  logger: Logger;
  topic: string;
  /** By partition: from this offset to before that one. */
  ranges: ReadonlyMap<number, { from: bigint; to: bigint }>;
  onSlice: (slice: RawSlice) => void | Promise<void>;
  signal?: AbortSignal;
}): Promise<void> {
  const { kafka, logger, topic, ranges, onSlice, signal } = options;
  const next = new Map([...ranges].map(([partition, { from }]) => [partition, from]));
  const isDone = () => [...ranges].every(([partition, { to }]) => next.get(partition)! >= to);
  if (isDone()) return;
  signal?.throwIfAborted();
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(signal?.reason as Error);
  signal?.addEventListener('abort', abort);
  /** Slices of a consumer that was replaced may still be under way: one at a time, in order. */
  let last = Promise.resolve();

  const consumer = createSupervisedConsumer({
    kafka,
    logger,
    groupId: `${kafka.clientId}-${topic}-${randomUUID()}`,
    topics: [topic],
    maxBytesPerPartition: 1 << 20,
    onAssigned(assignment, controls) {
      for (const partition of assignment.get(topic) ?? []) {
        const range = ranges.get(partition);
        const at = next.get(partition);
        if (!range || at === undefined || at >= range.to) controls.pause(topic, partition);
        else controls.seek(topic, partition, at);
      }
    },
    async onBatch({ batch, resolveOffset, heartbeat, pause }) {
      const taken = last.then(() => take(batch.partition, batch.messages, batch.lastOffset()));
      last = taken.catch(() => undefined);
      await taken.catch(reject);
      resolveOffset(batch.lastOffset());
      if (next.get(batch.partition)! >= (ranges.get(batch.partition)?.to ?? 0n)) pause();
      if (isDone()) resolve();
      await heartbeat();
    },
  });

  async function take(
    partition: number,
    messages: readonly kafkajs.KafkaMessage[],
    lastOffset: string,
  ): Promise<void> {
    const range = ranges.get(partition);
    const at = next.get(partition);
    if (!range || at === undefined) return;
    const undecodable = messages.map(whyUndecodable).find((why) => why !== undefined);
    if (undecodable !== undefined) throw new Error(`${topic}/${partition} ${undecodable}`);
    const records = messages
      .filter(({ offset }) => BigInt(offset) >= at && BigInt(offset) < range.to)
      .map(({ offset, key, value }) => ({ offset, key, value }));
    if (records.length > 0) await onSlice({ partition, records });
    const after = BigInt(lastOffset) + 1n;
    if (after > at) next.set(partition, after < range.to ? after : range.to);
  }

  try {
    consumer.start();
    await ended;
  } finally {
    signal?.removeEventListener('abort', abort);
    await consumer.stop();
  }
}
