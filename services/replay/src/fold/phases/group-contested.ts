import { jsonOf } from '../store/store.ts';
import type { Edge } from './name-index.ts';
import type { TaskContext } from './task.ts';

/** Facts of so many clusters are settled by one task. */
const clustersAtOnce = 20_000;

/**
 * Joins contested clusters to groups: facts of one group are about one invoice, or might be. Tells
 * each shard which of its clusters are in which group.
 */
export function groupContested({ store }: TaskContext): { shards: number[]; batches: number } {
  const groups = createGroups();
  for (const entry of store.read('edges/0')) groups.join(jsonOf<Edge>(entry));
  const all = groups.all();
  const batches = Math.ceil(all.length / clustersAtOnce);
  const byShard = Map.groupBy(all, ({ shard }) => shard);
  for (const [shard, own] of byShard) {
    const reported = own.map(({ cluster, group }) => [cluster, group]);
    store.append(`contested/${shard}`, '', JSON.stringify(reported));
  }
  return { shards: [...byShard.keys()], batches };
}

function createGroups() {
  const nodes = new Map<string, number>();
  const clusters: { shard: number; cluster: number }[] = [];
  const parents: number[] = [];

  function nodeOf([shard, cluster]: Edge[number]): number {
    const name = `${shard} ${cluster}`;
    const known = nodes.get(name);
    if (known !== undefined) return known;
    nodes.set(name, parents.length);
    clusters.push({ shard, cluster });
    return parents.push(parents.length) - 1;
  }

  function rootOf(node: number): number {
    let root = node;
    while (parents[root] !== root) root = parents[root] = parents[parents[root]!]!;
    return root;
  }

  return {
    join(edge: Edge): void {
      const [first, ...others] = edge.map(nodeOf);
      for (const other of others) parents[rootOf(other)] = rootOf(first!);
    },
    all: () => clusters.map((cluster, node) => ({ ...cluster, group: rootOf(node) })),
  };
}
