import type { Store } from '../store/store.ts';

/**
 * Which facts of a shard share names of invoices, directly or through others: clusters of names. A
 * cluster that more than one user is in, in this shard or together with others, is contested.
 *
 * Names are known by their hashes alone. Two names with one hash make a cluster larger than it is,
 * and what is contested is settled by the names themselves (settle-contested.ts).
 */
export function createNameIndex() {
  const nodes = new Map<number, number>();
  const parents: number[] = [];
  const users: string[] = [];
  const shared = new Set<number>();
  const facts: { node: number; at: number }[] = [];

  function rootOf(node: number): number {
    let root = node;
    while (parents[root] !== root) root = parents[root]!;
    for (let next = node; parents[next] !== root;) {
      const up = parents[next]!;
      parents[next] = root;
      next = up;
    }
    return root;
  }

  function nodeOf(name: number, user: string): number {
    const known = nodes.get(name);
    if (known !== undefined) {
      if (users[known] !== user) shared.add(known);
      return known;
    }
    const node = parents.length;
    nodes.set(name, node);
    parents.push(node);
    users.push(user);
    return node;
  }

  return {
    /** `at`: where the fact is, see `Entry.at`. */
    add(names: readonly [number, number][], user: string, at: number): void {
      const [first, ...others] = names.map((name) => nodeOf(exact(name), user));
      for (const other of others) {
        const [a, b] = [rootOf(first!), rootOf(other)];
        if (users[a] !== users[b]) shared.add(a);
        parents[b] = a;
      }
      facts.push({ node: first!, at });
    },

    write(store: Store, shard: number, buckets: number): void {
      for (const [bucket, own] of Map.groupBy(nodes, ([name]) => name % buckets)) {
        store.append(`names/${bucket}`, String(shard), packNames(own, rootOf));
      }
      const places = Buffer.allocUnsafe(facts.length * 12);
      facts.forEach(({ node, at }, i) => {
        places.writeUInt32LE(rootOf(node), i * 12);
        places.writeDoubleLE(at, i * 12 + 4);
      });
      store.append(`places/${shard}`, '', places);
      for (const cluster of new Set([...shared].map(rootOf))) {
        store.append('edges/0', '', JSON.stringify([[shard, cluster]]));
      }
    },
  };
}

/** Clusters that share a name; one of them alone: it has several users. */
export type Edge = [shard: number, cluster: number][];

/** 53 bits: a number that is exact. */
function exact([a, b]: [number, number]): number {
  return a * 2 ** 21 + (b >>> 11);
}

function packNames(names: readonly [number, number][], rootOf: (node: number) => number): Buffer {
  const packed = Buffer.allocUnsafe(names.length * 12);
  names.forEach(([name, node], i) => {
    packed.writeDoubleLE(name, i * 12);
    packed.writeUInt32LE(rootOf(node), i * 12 + 8);
  });
  return packed;
}

export function* unpackNames(packed: Buffer): Generator<{ name: number; cluster: number }> {
  for (let at = 0; at < packed.length; at += 12) {
    yield { name: packed.readDoubleLE(at), cluster: packed.readUInt32LE(at + 8) };
  }
}

export function* unpackPlaces(packed: Buffer): Generator<{ cluster: number; at: number }> {
  for (let i = 0; i < packed.length; i += 12) {
    yield { cluster: packed.readUInt32LE(i), at: packed.readDoubleLE(i + 4) };
  }
}
