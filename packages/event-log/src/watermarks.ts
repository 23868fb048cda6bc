import { setTimeout as delay } from 'node:timers/promises';
import type kafkajs from 'kafkajs';
import type { KafkaConnection } from './kafka.ts';
import { withAdmin } from './with-admin.ts';

/** First and end offset of every partition of the topics, keyed `topic/partition`. */
export async function readWatermarks(
  kafka: KafkaConnection,
  topics: readonly string[],
): Promise<Watermarks> {
  return withAdmin(kafka, (admin) => watermarksOf(admin, topics));
}

export type Watermarks = Map<string, { low: bigint; high: bigint }>;

/** {@link readWatermarks} again and again over one connection, opened anew when it failed. */
export function createWatermarkReader(kafka: KafkaConnection) {
  let current: kafkajs.Admin | undefined;

  async function close(): Promise<void> {
    const admin = current;
    current = undefined;
    await admin?.disconnect().catch(() => undefined);
  }

  return {
    async read(topics: readonly string[]): Promise<Watermarks> {
      try {
        current ??= kafka.client.admin();
        await current.connect();
        return await watermarksOf(current, topics);
      } catch (error) {
        await close();
        throw error;
      }
    },
    close,
  };
}

async function watermarksOf(admin: kafkajs.Admin, topics: readonly string[]): Promise<Watermarks> {
  const found: Watermarks = new Map();
  for (const topic of topics) {
    for (const { partition, low, high } of await fetchOffsets(admin, topic)) {
      found.set(`${topic}/${partition}`, { low: BigInt(low), high: BigInt(high) });
    }
  }
  return found;
}

/**
 * Right after a topic was made, or its leader moved, the broker that is named as leader may not
 * know of it yet. kafkajs asks only once.
 */
async function fetchOffsets(admin: kafkajs.Admin, topic: string) {
  const deadline = performance.now() + 60_000;
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
