import { type Topic, topicName } from '@tributary/contracts/topics';
import { readWatermarks } from '@tributary/event-log/watermarks';
import type { Place } from './places.ts';
import { placesOf } from './places.ts';
import { readOffsets } from './stage-tables.ts';
import type { SwapDeps } from './swap.ts';

/** How far a stage is: records read, of those that are on its topics now. */
export type StageLag = {
  stage: 'attribution' | 'rewards' | 'read model';
  /** Undefined: no process has begun it. */
  read: number | undefined;
  total: number;
};

export const behindOf = ({ read = 0, total }: StageLag): number => total - read;

/**
 * Sums up the stages of one generation; partitions that retention has shortened count what is left.
 */
export async function readLag(
  { pool, kafka, topics, first }: Omit<SwapDeps, 'issuanceSchema'>,
  generation: number,
): Promise<StageLag[]> {
  const places = placesOf(first, generation);
  const nameOf = (topic: Topic) => topicName(topic, { ...topics, generation });
  const marks = await readWatermarks(kafka, everyTopic.map(nameOf));

  async function lagOf(
    stage: StageLag['stage'],
    place: Place,
    reads: readonly Topic[],
  ): Promise<StageLag> {
    const offsets = await readOffsets(pool, place);
    const names = new Set(reads.map(nameOf));
    let [read, total] = [0n, 0n];
    for (const [partition, { low, high }] of marks) {
      if (!names.has(partition.slice(0, partition.lastIndexOf('/')))) continue;
      const next = offsets?.get(partition) ?? 0n;
      total += high - low;
      if (next > low) read += (next < high ? next : high) - low;
    }
    return { stage, read: offsets && Number(read), total: Number(total) };
  }

  return [
    await lagOf('attribution', places.attribution, ['events', 'codes', 'catalog']),
    await lagOf('rewards', places.rewards, ['attributions', 'issuances', 'catalog']),
    await lagOf('read model', places.readModel, everyTopic),
  ];
}

const everyTopic: readonly Topic[] = [
  'events',
  'people',
  'codes',
  'catalog',
  'attributions',
  'rewards',
  'issuances',
  'deliveries',
];
