import { originOf } from '@tributary/attribution-fold/code-history';
import { recordKey } from '@tributary/contracts/topics';
import { shardOf } from '../store/hash.ts';
import { byKey, jsonOf } from '../store/store.ts';
import { readHistories } from './read-histories.ts';
import type { NotedReferral } from './scan-users.ts';
import type { BucketTask, TaskContext } from './task.ts';

/**
 * Tells each shard the codes that are on its events. Referrals by users that own codes go on under
 * the pair of the two users, where the opposite one will be if there is one.
 */
export function joinCodes({ log, store, shape, cut }: TaskContext, { bucket }: BucketTask): void {
  const histories = readHistories(log, cut, bucket);
  for (const { key, value } of store.read(`uses/${bucket}`)) {
    const history = histories.get(key);
    if (history) store.append(`histories/${value.toString()}`, key, JSON.stringify(history));
  }
  for (const [code, referrals] of byKey(store.read(`referrals/${bucket}`))) {
    const history = histories.get(code);
    if (!history) continue;
    const { tenantId, productUserId } = originOf(history);
    const owner = recordKey(tenantId, productUserId);
    for (const entry of referrals) {
      const { user, first } = jsonOf<NotedReferral>(entry);
      if (user === owner) continue;
      const pair = JSON.stringify(user < owner ? [user, owner] : [owner, user]);
      const reported = { user, owner, first } satisfies OwnersReferral;
      store.append(`pairs/${shardOf(pair, shape.buckets)}`, pair, JSON.stringify(reported));
    }
  }
}

/** A user who owns a code was referred by another one. Both are record keys. */
export type OwnersReferral = NotedReferral & { owner: string };
