import { type Topic, topicName } from '@tributary/contracts/topics';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { readWatermarks } from '@tributary/event-log/watermarks';
import type { GenerationsDb } from './registry.ts';
import type { Stage } from './stage.ts';
import { readOffsets } from './stage-state.ts';

/** How far a stage is: records read, of those that are on its topics now. */
export type StageLag = {
  stage: string;
  /** Undefined: no process has begun it. */
  read: number | undefined;
  total: number;
};

export const behindOf = ({ read = 0, total }: StageLag): number => total - read;

/** In the order of the stages; partitions that retention has shortened count what is left. */
export async function readLag(
  { pool, kafka, prefix }: { pool: GenerationsDb; kafka: KafkaConnection; prefix: string },
  stages: readonly Stage[],
): Promise<StageLag[]> {
  const namesOf = ({ topics, generation }: Stage) =>
    topics.map((topic: Topic) => topicName(topic, { prefix, generation }));
  const marks = await readWatermarks(kafka, [...new Set(stages.flatMap(namesOf))]);
  const lags: StageLag[] = [];
  for (const stage of stages) {
    const offsets = await readOffsets(pool, stage);
    const names = new Set(namesOf(stage));
    let [read, total] = [0n, 0n];
    for (const [partition, { low, high }] of marks) {
      if (!names.has(partition.slice(0, partition.lastIndexOf('/')))) continue;
      const next = offsets?.get(partition) ?? 0n;
      total += high - low;
      if (next > low) read += (next < high ? next : high) - low;
    }
    lags.push({ stage: stage.name, read: offsets && Number(read), total: Number(total) });
  }
  return lags;
}
