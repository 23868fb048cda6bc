import { partitionOf } from '@tributary/event-log/partitioner';
import type { ExportedRecord } from './record-line.ts';

/**
 * Where a record goes: to the partition that it came from. A topic with another number of
 * partitions takes it where its key belongs; the order of each key stays, unless it had moved to
 * another partition already when the old topic was given more of them, and nothing depends on that
 * (design 6).
 *
 * The same for every run of an import, so that one which was killed can be gone on with.
 */
export function placementOf(options: { topic: string; from: number; to: number }) {
  const { topic, from, to } = options;
  if (from === to) return ({ partition }: ExportedRecord) => partition;
  return ({ partition, key }: ExportedRecord) =>
    key === null ? partition % to : partitionOf(topic, key.toString('utf8'), to);
}
