import { type Edge, unpackNames } from './name-index.ts';
import type { BucketTask, TaskContext } from './task.ts';

/** Finds names that clusters of several shards have. */
export function joinNames({ store }: TaskContext, { bucket }: BucketTask): void {
  const seen = new Map<number, [shard: number, cluster: number]>();
  for (const { key, value } of store.read(`names/${bucket}`)) {
    const shard = Number(key);
    for (const { name, cluster } of unpackNames(value)) {
      const first = seen.get(name);
      if (!first) seen.set(name, [shard, cluster]);
      else store.append('edges/0', '', JSON.stringify([first, [shard, cluster]] satisfies Edge));
    }
  }
}
