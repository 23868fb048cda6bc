import { originOf } from '@tributary/attribution-fold/code-history';
import { recordKey } from '@tributary/contracts/topics';
import { shardOf } from '../store/hash.ts';
import { readHistories } from './read-histories.ts';
import type { BucketTask, TaskContext } from './task.ts';

/** Tells the shard of each owner of a code since when they own one. */
export function listOwners({ log, store, shape, cut }: TaskContext, { bucket }: BucketTask): void {
  for (const history of readHistories(log, cut, bucket).values()) {
    const { tenantId, productUserId, at } = originOf(history);
    const owner = recordKey(tenantId, productUserId);
    store.append(`owners/${shardOf(owner, shape.shards)}`, owner, at);
  }
}

/** By user, when their first code was issued. */
export function readOwners({ store }: TaskContext, shard: number): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { key, value } of store.read(`owners/${shard}`)) {
    const at = value.toString();
    const known = owners.get(key);
    if (known === undefined || at < known) owners.set(key, at);
  }
  return owners;
}
