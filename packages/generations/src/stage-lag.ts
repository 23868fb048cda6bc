import { type Topic, topicName } from '@tributary/contracts/topics';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { topicOfPartition } from '@tributary/event-log/position';
import { readWatermarks } from '@tributary/event-log/watermarks';
import type { Stage } from './stage.ts';
import type { StageDatabases } from './stage-databases.ts';
import { type Offsets, readOffsets } from './stage-state.ts';

/** How far a stage is: records read, of those that are on its topics now. */
export type StageLag = {
  stage: string;
  /** Undefined: no process has begun it, or `unknown` says why its tables cannot be asked. */
  read: number | undefined;
  unknown?: string;
  total: number;
};

export const behindOf = ({ read = 0, total }: StageLag): number => total - read;

/** In the order of the stages; partitions that retention has shortened count what is left. */
export async function readLag(
  at: { databases: StageDatabases; kafka: KafkaConnection; prefix: string },
  stages: readonly Stage[],
): Promise<StageLag[]> {
  const { databases, kafka, prefix } = at;
  const namesOf = ({ topics, generation }: Stage) =>
    topics.map((topic: Topic) => topicName(topic, { prefix, generation }));
  const marks = await readWatermarks(kafka, [...new Set(stages.flatMap(namesOf))]);
  const lags: StageLag[] = [];
  for (const stage of stages) {
    const { offsets, unknown } = await offsetsOf(databases, stage);
    const names = new Set(namesOf(stage));
    let [read, total] = [0n, 0n];
    for (const [partition, { low, high }] of marks) {
      if (!names.has(topicOfPartition(partition))) continue;
      const next = offsets?.get(partition) ?? 0n;
      total += high - low;
      if (next > low) read += (next < high ? next : high) - low;
    }
    const known = { read: offsets && Number(read), total: Number(total) };
    lags.push({ stage: stage.name, ...known, ...(unknown !== undefined && { unknown }) });
  }
  return lags;
}

async function offsetsOf(
  databases: StageDatabases,
  stage: Stage,
): Promise<{ offsets: Offsets | undefined; unknown?: string }> {
  try {
    return { offsets: await readOffsets(await databases.of(stage), stage) };
  } catch (error) {
    // Without the database of the folds nothing goes on anyway.
    if (stage.database === undefined) throw error;
    return { offsets: undefined, unknown: (error as Error).message };
  }
}
