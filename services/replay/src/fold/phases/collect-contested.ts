import { jsonOf } from '../store/store.ts';
import { unpackPlaces } from './name-index.ts';
import type { ShardTask, TaskContext } from './task.ts';

/** Hands the facts of contested clusters of a shard to the tasks that settle their groups. */
export function collectContested(
  { log, store }: TaskContext,
  { shard, batches }: ShardTask & { batches: number },
): void {
  const groupOf = new Map(
    store.read(`contested/${shard}`).flatMap((entry) => jsonOf<[number, number][]>(entry)),
  );
  const found: { group: number; at: number }[] = [];
  for (const { value } of store.read(`places/${shard}`)) {
    for (const { cluster, at } of unpackPlaces(value)) {
      const group = groupOf.get(cluster);
      if (group !== undefined) found.push({ group, at });
    }
  }
  // In the order in which they lie, part by part, so that each value meets its group again.
  found.sort((a, b) => a.at - b.at);
  const values = log.readAt(
    `events/${shard}`,
    found.map(({ at }) => at),
  );
  found.forEach(({ group }, i) => {
    store.append(`groups/${group % batches}`, `${group} ${shard}`, values[i]!);
  });
}
