import { eventCodec } from '@tributary/contracts/event-record';
import type { Codec } from '@tributary/contracts/record';
import { type Topic, topicName } from '@tributary/contracts/topics';
import type { Incoming } from '@tributary/event-log/projection';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { connectTo, type KafkaAddress, silentLogger } from '@tributary/event-log/testing';
import { readWatermarks } from '@tributary/event-log/watermarks';

export const wiring = { prefix: '', generation: 1 };

/**
 * Everything that stands in a topic, each record by itself: copies included, tombstones and what
 * the codec cannot read left out. A scan may hand a record over twice; here it is there once.
 */
export async function readLog<T>(
  where: KafkaAddress,
  topic: Topic,
  codec: Codec<T>,
): Promise<(Incoming<T> & { value: T })[]> {
  const records = new Map<string, Incoming<T> & { value: T }>();
  await scanTopic({
    kafka: connectTo(where),
    logger: silentLogger,
    topic: topicName(topic, wiring),
    codec,
    onRecord: (record) => {
      const { partition, offset, value } = record;
      if (value !== null) records.set(`${partition}/${offset}`, { ...record, value });
    },
  });
  return [...records.values()];
}

/** How many records a topic holds, read or readable or not. */
export async function countRecords(where: KafkaAddress, topic: Topic): Promise<number> {
  const ends = await readWatermarks(connectTo(where), [topicName(topic, wiring)]);
  return [...ends.values()].reduce((count, { low, high }) => count + Number(high - low), 0);
}

/** Any record as it stands there. */
export const textCodec = {
  name: 'text',
  schemaVersion: 1,
  schema: eventCodec.schema,
  decode: (bytes: Buffer | null) =>
    bytes === null
      ? { outcome: 'tombstone' as const }
      : { outcome: 'record' as const, value: bytes.toString('utf8') },
  encode: (value: string) => value,
} satisfies Codec<string>;
