import { startRawAppender } from '@tributary/event-log/append-raw';
import { readRaw } from '@tributary/event-log/read-raw';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { type Topic, topicName } from '@tributary/contracts/topics';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';

/** The topics of one deployment under a prefix of its own, read and written to the byte. */
export type LogWorld = Awaited<ReturnType<typeof createLogWorld>>;
export type Written = { partition: number; key: string | null; value: string | Buffer | null };

export async function createLogWorld(options: { make?: boolean; partitions?: number } = {}) {
  const { kafkaBrokers } = await getServers();
  const kafka = connectTo(kafkaBrokers);
  const wiring = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic) => topicName(topic, wiring);
  if (options.make !== false) {
    const specs = topicSpecs(wiring);
    const topics = specs.map((spec) => ({
      ...spec,
      partitions: options.partitions ?? spec.partitions,
    }));
    await createTopics({ kafka, logger: silentLogger, topics });
  }
  return {
    kafka,
    nameOf,
    prefix: wiring.prefix,
    env: {
      TRIBUTARY_TOPIC_PARTITIONS: '12',
      TRIBUTARY_KAFKA_BROKERS: kafkaBrokers,
      TRIBUTARY_TOPIC_PREFIX: wiring.prefix,
      TRIBUTARY_TOPIC_REPLICATION: '1',
      TRIBUTARY_TOPIC_MIN_INSYNC: '1',
      // Irrelevant here, as it may be in the shell of an operator.
      TRIBUTARY_OPERATOR_TOKEN: 'not-of-the-log',
    },

    async write(topic: Topic, records: readonly Written[]): Promise<void> {
      const appender = await startRawAppender(kafka);
      const ends = await readWatermarks(kafka, [nameOf(topic)]);
      const batches = new Map<
        number,
        { at: bigint; records: { key: Buffer | null; value: Buffer | null }[] }
      >();
      for (const { partition, key, value } of records) {
        const at = ends.get(`${nameOf(topic)}/${partition}`)!.high;
        const batch = batches.get(partition) ?? { at, records: [] };
        batches.set(partition, batch);
        batch.records.push({
          key: key === null ? null : Buffer.from(key),
          value: value === null ? null : Buffer.from(value),
        });
      }
      await appender.append(nameOf(topic), batches);
      await appender.stop();
    },

    /** Gives each partition as `key value` in base64, in order. */
    async read(topic: Topic): Promise<Record<number, string[]>> {
      const found: Record<number, string[]> = {};
      const ends = await readWatermarks(kafka, [nameOf(topic)]);
      const ranges = new Map(
        [...ends].map(([name, { low, high }]) => [
          Number(name.slice(name.lastIndexOf('/') + 1)),
          { from: low, to: high },
        ]),
      );
      await readRaw({
        ...{ kafka, logger: silentLogger, topic: nameOf(topic), ranges },
        onSlice({ partition, records }) {
          for (const { key, value } of records) {
            const text = [key, value].map((bytes) => bytes?.toString('base64') ?? 'null').join(' ');
            (found[partition] ??= []).push(text);
          }
        },
      });
      return found;
    },
  };
}
