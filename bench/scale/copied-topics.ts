import type { Topic } from '@tributary/contracts/topics';
import { type RawRecord, startRawAppender } from '@tributary/event-log/append-raw';
import { readRaw } from '@tributary/event-log/read-raw';
import { silentLogger } from '@tributary/event-log/testing';
import { readWatermarks } from '@tributary/event-log/watermarks';
import type { Topics } from '../../test-faults/chain/topics.ts';

/** The records of a topic to the byte, by partition. */
export type TopicCopy = { topic: Topic; partitions: Map<number, RawRecord[]> };

export async function copyTopic(topics: Topics, topic: Topic): Promise<TopicCopy> {
  const name = topics.nameOf(topic);
  const marks = await readWatermarks(topics.kafka, [name]);
  const ranges = new Map(
    [...marks].map(([place, { low, high }]) => [
      Number(place.slice(place.lastIndexOf('/') + 1)),
      { from: low, to: high },
    ]),
  );
  const partitions = new Map<number, RawRecord[]>();
  await readRaw({
    ...{ kafka: topics.kafka, logger: silentLogger, topic: name, ranges },
    onSlice({ partition, records }) {
      const own = partitions.get(partition) ?? [];
      partitions.set(partition, own.concat(records.map(({ key, value }) => ({ key, value }))));
    },
  });
  return { topic, partitions };
}

/** Into the same partitions of a topic that is empty. */
export async function pasteTopic(topics: Topics, { topic, partitions }: TopicCopy): Promise<void> {
  const appender = await startRawAppender(topics.kafka);
  const longest = Math.max(...[...partitions.values()].map(({ length }) => length));
  try {
    for (let from = 0; from < longest; from += chunk) {
      const batches = [...partitions].map(([partition, records]) => {
        const part = { at: BigInt(from), records: records.slice(from, from + chunk) };
        return [partition, part] as const;
      });
      await appender.append(topics.nameOf(topic), new Map(batches));
    }
  } finally {
    await appender.stop();
  }
}

const chunk = 100;
