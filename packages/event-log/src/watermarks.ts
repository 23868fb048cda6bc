import type { KafkaConnection } from './kafka.ts';

/** First and end offset of every partition of the topics, keyed `topic/partition`. */
export async function readWatermarks(
  kafka: KafkaConnection,
  topics: readonly string[],
): Promise<Map<string, { low: bigint; high: bigint }>> {
  const admin = kafka.client.admin();
  await admin.connect();
  try {
    const found = new Map<string, { low: bigint; high: bigint }>();
    for (const topic of topics) {
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
        found.set(`${topic}/${partition}`, { low: BigInt(low), high: BigInt(high) });
      }
    }
    return found;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
