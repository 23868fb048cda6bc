import type { Codec } from '@tributary/contracts/record';
import type { KafkaConnection } from '../kafka.ts';
import { scanTopic } from '../scan-topic.ts';
import { silentLogger } from '../testing.ts';

/**
 * Every record that a topic holds, tombstones left out, in the order of each partition. A scan may
 * hand a record over twice; here it is there once.
 */
export async function readRecords<T>(
  kafka: KafkaConnection,
  topic: string,
  codec: Codec<T>,
): Promise<T[]> {
  const found = new Map<string, T>();
  await scanTopic({
    kafka,
    logger: silentLogger,
    topic,
    codec,
    onRecord: ({ value, partition, offset }) => {
      if (value !== null) found.set(`${partition}/${offset}`, value);
    },
  });
  return [...found.values()];
}

/**
 * What was sent by an outbox, as its readers take it: it appends each record at least once
 * (decision 34), so an equal copy is no second record. Two that differ are two, also of one
 * version.
 */
export function withoutCopies<T>(records: Iterable<T>): T[] {
  return [...new Map([...records].map((record) => [JSON.stringify(record), record])).values()];
}

/**
 * The same, as they come: each entity's records in the order of their versions, as what an outbox
 * sends late comes behind what followed it.
 */
export function createVersionedRecords<T>(about: {
  entityOf: (record: T) => string;
  versionOf: (record: T) => number;
}): { records: T[]; add: (record: T) => void } {
  const records: T[] = [];
  const texts = new Set<string>();
  return {
    records,
    add(record) {
      const text = JSON.stringify(record);
      if (texts.has(text)) return;
      texts.add(text);
      const entity = about.entityOf(record);
      const version = about.versionOf(record);
      const next = records.findIndex(
        (other) => about.entityOf(other) === entity && about.versionOf(other) > version,
      );
      records.splice(next === -1 ? records.length : next, 0, record);
    },
  };
}
