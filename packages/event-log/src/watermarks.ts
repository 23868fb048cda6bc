import { setTimeout as delay } from 'node:timers/promises';
import type kafkajs from 'kafkajs';
import type { KafkaConnection } from './kafka.ts';
import { withAdmin } from './with-admin.ts';

/** First and end offset of every partition of the topics, keyed `topic/partition`. */
export async function readWatermarks(
  kafka: KafkaConnection,
  topics: readonly string[],
): Promise<Map<string, { low: bigint; high: bigint }>> {
  return withAdmin(kafka, async (admin) => {
    const found = new Map<string, { low: bigint; high: bigint }>();
    for (const topic of topics) {
      for (const { partition, low, high } of await fetchOffsets(admin, topic)) {
        found.set(`${topic}/${partition}`, { low: BigInt(low), high: BigInt(high) });
      }
    }
    return found;
  });
}

/**
 * Right after a topic was made, or its leader moved, the broker that is named as leader may not
 * know of it yet. kafkajs asks only once.
 */
async function fetchOffsets(admin: kafkajs.Admin, topic: string) {
  const deadline = performance.now() + 20_000;
  for (;;) {
    try {
      return await admin.fetchTopicOffsets(topic);
    } catch (error) {
      const { type } = error as { type?: string };
      if (type !== 'NOT_LEADER_FOR_PARTITION' || performance.now() > deadline) throw error;
      await delay(50);
    }
  }
}
