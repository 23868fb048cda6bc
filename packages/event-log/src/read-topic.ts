import { randomUUID } from 'node:crypto';
import type { Codec } from '@tributary/contracts/record';
import type { Logger } from '@tributary/runtime/logger';
import type kafkajs from 'kafkajs';
import type { KafkaConnection } from './kafka.ts';
import { withAdmin } from './with-admin.ts';
import type { Incoming } from './projection.ts';
import { createReadBarrier } from './read-barrier.ts';
import { type Assignment, type Controls, createSupervisedConsumer } from './supervised-consumer.ts';
import { whyUndecodable } from './undecodable.ts';
import { readWatermarks } from './watermarks.ts';

/**
 * Reads a whole topic, all partitions, into one process. The consumer group is this reader's alone
 * and keeps no offsets: after a broken connection everything is read again, so `onRecord` must take
 * a record twice. Records that break their contract are left out with a log line; the projection
 * of the topic's owner makes the dead letter.
 */
export type TopicReader = {
  /**
   * Resolves when the reader has passed the ends of all partitions as they were at the first join.
   */
  readUp(): Promise<void>;
  /** Whether all that the topic held at the time of the call has been read; see read-barrier.ts. */
  becomeCurrent(): Promise<boolean>;
  /** Why partitions were not read to their ends: what is next there cannot be read. */
  unread(): string | undefined;
  health(): { ok: boolean; detail?: string };
  stop(): Promise<void>;
};

export function createTopicReader<T>(options: {
  kafka: KafkaConnection;
  logger: Logger;
  topic: string;
  codec: Codec<T>;
  /** Start at the first record appended at or after this time; default: the beginning. */
  fromTimestampMs?: number;
  onRecord: (record: Incoming<T>) => void | Promise<void>;
}): TopicReader {
  const { kafka, logger, topic, codec, fromTimestampMs, onRecord } = options;
  const { promise: reachedEnds, resolve: reached } = Promise.withResolvers<void>();
  let ends: ReadonlyMap<string, { low: bigint; high: bigint }> | undefined;
  let next = new Map<number, bigint>();
  let done = false;
  /** Partitions whose next record this process cannot read, and why. */
  const stopped = new Map<number, string>();
  let joins = 0;
  let controls: Controls | undefined;

  const consumer = createSupervisedConsumer({
    kafka,
    logger,
    groupId: `${kafka.clientId}-${topic}-${randomUUID()}`,
    topics: [topic],
    onAssigned,
    onBatch,
  });
  const named = (partition: number) => `${topic}/${partition}`;
  const barrier = createReadBarrier({
    kafka,
    logger,
    topics: [topic],
    positions: () => new Map([...next].map(([partition, offset]) => [named(partition), offset])),
    stopped: () => new Set([...stopped.keys()].map(named)),
  });

  function onAssigned(assignment: Assignment, newControls: Controls): void {
    joins += 1;
    controls = newControls;
    next = new Map();
    const partitions = assignment.get(topic) ?? [];
    for (const partition of partitions) newControls.pause(topic, partition);
    void seekStarts(partitions, joins);
  }

  async function seekStarts(partitions: readonly number[], join: number): Promise<void> {
    try {
      ends ??= await readWatermarks(kafka, [topic]);
      const starts = await readStarts();
      if (join !== joins) return;
      for (const partition of partitions) {
        const start = starts.get(partition) ?? 0n;
        next.set(partition, start);
        controls?.seek(topic, partition, start);
        if (!stopped.has(partition)) controls?.resume(topic, partition);
      }
      checkDone();
    } catch (error) {
      logger.warn('cannot find the start of a topic; trying again', {
        topic,
        error: (error as Error).message,
      });
      setTimeout(() => {
        if (join === joins) void seekStarts(partitions, join);
      }, 500).unref();
    }
  }

  async function readStarts(): Promise<Map<number, bigint>> {
    if (fromTimestampMs === undefined) {
      return new Map([...(ends ?? [])].map(([name, { low }]) => [partitionNumber(name), low]));
    }
    return withAdmin(kafka, async (admin) => {
      const found = await admin.fetchTopicOffsetsByTimestamp(topic, fromTimestampMs);
      return new Map(found.map(({ partition, offset }) => [partition, BigInt(offset)]));
    });
  }

  async function onBatch(payload: kafkajs.EachBatchPayload): Promise<void> {
    const { batch, resolveOffset, heartbeat, isStale, isRunning } = payload;
    if (stopped.has(batch.partition) || !next.has(batch.partition)) return;
    for (const message of batch.messages) {
      if (isStale() || !isRunning()) return;
      const undecodable = whyUndecodable(message);
      if (undecodable !== undefined) return stopAt(batch.partition, undecodable);
      const decoded = codec.decode(message.value);
      if (decoded.outcome === 'newer') {
        const { schemaVersion } = decoded;
        const detail =
          `offset ${message.offset} has schemaVersion ${schemaVersion}, ` +
          'newer than this process reads: deploy a newer version';
        return stopAt(batch.partition, detail);
      }
      if (decoded.outcome === 'broken') {
        logger.error('a record breaks its contract; it is left out', {
          topic,
          partition: batch.partition,
          offset: message.offset,
          detail: decoded.detail,
        });
      } else {
        await onRecord({
          source: topic,
          topic,
          partition: batch.partition,
          offset: BigInt(message.offset),
          key: message.key?.toString() ?? '',
          timestampMs: Number(message.timestamp),
          value: decoded.outcome === 'tombstone' ? null : decoded.value,
        });
      }
      next.set(batch.partition, BigInt(message.offset) + 1n);
      resolveOffset(message.offset);
    }
    checkDone();
    await heartbeat();
  }

  function stopAt(partition: number, why: string): void {
    const detail = `${topic}/${partition} ${why}`;
    stopped.set(partition, detail);
    logger.error(`alert: ${detail}`);
    controls?.pause(topic, partition);
    checkDone();
  }

  function checkDone(): void {
    if (done || !ends) return;
    for (const [name, { low, high }] of ends) {
      if (stopped.has(partitionNumber(name))) continue;
      const at = next.get(partitionNumber(name));
      if (high > low && (at === undefined || at < high)) return;
    }
    done = true;
    reached();
  }

  function unread(): string | undefined {
    return stopped.size === 0 ? undefined : [...stopped.values()].join('; ');
  }

  return {
    readUp() {
      consumer.start();
      return reachedEnds;
    },
    becomeCurrent: barrier.becomeCurrent,
    unread,
    health() {
      const detail = unread();
      if (detail !== undefined) return { ok: false, detail };
      if (!done) return { ok: false, detail: `${topic} is still being read` };
      return consumer.health();
    },
    async stop() {
      barrier.stop();
      await consumer.stop();
      joins += 1;
    },
  };
}

function partitionNumber(name: string): number {
  return Number(name.slice(name.lastIndexOf('/') + 1));
}
