import type { Positions } from '@tributary/contracts/admin/replay-results';
import type { Codec } from '@tributary/contracts/record';
import { type Topic, topicName } from '@tributary/contracts/topics';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { readRaw } from '@tributary/event-log/read-raw';
import type { Logger } from '@tributary/runtime/logger';

export type Found<T> = { partition: string; offset: bigint; value: T };

/** The records of a topic between two places of the log; what breaks its contract is left out. */
export async function readBetween<T>(options: {
  kafka: KafkaConnection;
  logger: Logger;
  topic: Topic;
  prefix: string;
  codec: Codec<T>;
  from: Positions;
  to: Positions;
  signal: AbortSignal;
  onRecord: (record: Found<T>) => void;
}): Promise<void> {
  const { kafka, logger, prefix, codec, from, to, signal, onRecord } = options;
  const topic = topicName(options.topic, { prefix, generation: 1 });
  const ranges = new Map<number, { from: bigint; to: bigint }>();
  for (const [place, end] of Object.entries(to)) {
    const slash = place.lastIndexOf('/');
    if (place.slice(0, slash) !== topic) continue;
    const start = BigInt(from[place] ?? 0);
    if (BigInt(end) > start) {
      ranges.set(Number(place.slice(slash + 1)), { from: start, to: BigInt(end) });
    }
  }
  await readRaw({
    ...{ kafka, logger, topic, ranges, signal },
    onSlice({ partition, records }) {
      for (const { offset, value } of records) {
        const decoded = codec.decode(value);
        if (decoded.outcome !== 'record') continue;
        onRecord({
          partition: `${topic}/${partition}`,
          offset: BigInt(offset),
          value: decoded.value,
        });
      }
    },
  });
}
