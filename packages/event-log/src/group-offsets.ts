import type { KafkaConnection } from './kafka.ts';
import { withAdmin } from './with-admin.ts';

/**
 * What a consumer group has committed, keyed `topic/partition`; a partition without an offset is
 * left out. Services commit once a second and for tools only: their true positions are their own.
 */
export async function readGroupOffsets(
  kafka: KafkaConnection,
  group: string,
  topics: readonly string[],
): Promise<Map<string, bigint>> {
  return withAdmin(kafka, async (admin) => {
    const found = new Map<string, bigint>();
    const answers = await admin.fetchOffsets({ groupId: group, topics: [...topics] });
    for (const { topic, partitions } of answers) {
      for (const { partition, offset } of partitions) {
        if (BigInt(offset) >= 0n) found.set(`${topic}/${partition}`, BigInt(offset));
      }
    }
    return found;
  });
}
