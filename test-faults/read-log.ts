import type { Codec } from '@tributary/contracts/record';
import { type Topic, topicName } from '@tributary/contracts/topics';
import type { Incoming } from '@tributary/event-log/projection';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { readWatermarks } from '@tributary/event-log/watermarks';
import type { Demo } from '../deploy/demo/demo-file.ts';

export const wiring = { prefix: '', generation: 1 };

/**
 * Everything that stands in a topic, each record by itself: copies included, tombstones and what
 * the codec cannot read left out. A scan may hand a record over twice; here it is there once.
 */
export async function readLog<T>(
  demo: Demo,
  topic: Topic,
  codec: Codec<T>,
): Promise<(Incoming<T> & { value: T })[]> {
  const records = new Map<string, Incoming<T> & { value: T }>();
  await scanTopic({
    kafka: connectTo(demo),
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
export async function countRecords(demo: Demo, topic: Topic): Promise<number> {
  const ends = await readWatermarks(connectTo(demo), [topicName(topic, wiring)]);
  return [...ends.values()].reduce((count, { low, high }) => count + Number(high - low), 0);
}
