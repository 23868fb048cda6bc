import { comparePrecedence, type Precedence } from '@tributary/attribution-fold/precedence';
import { referralKey } from '@tributary/attribution-fold/decision-context';
import { shardOf } from '../store/hash.ts';
import { byKey, jsonOf } from '../store/store.ts';
import type { OwnersReferral } from './join-codes.ts';
import type { BucketTask, TaskContext } from './task.ts';

/** Where two users referred each other, both are told of both referrals. */
export function findLoops({ store, shape }: TaskContext, { bucket }: BucketTask): void {
  for (const entries of byKey(store.read(`pairs/${bucket}`)).values()) {
    const firsts = new Map<string, OwnersReferral>();
    for (const entry of entries) {
      const referral = jsonOf<OwnersReferral>(entry);
      const known = firsts.get(referral.user);
      if (!known || comparePrecedence(referral.first, known.first) < 0) {
        firsts.set(referral.user, referral);
      }
    }
    if (firsts.size < 2) continue;
    const loop = [...firsts.values()].map(({ user, owner, first }) => [keyOf(user, owner), first]);
    for (const user of firsts.keys()) {
      store.append(`loops/${shardOf(user, shape.shards)}`, user, JSON.stringify(loop));
    }
  }
}

function keyOf(user: string, owner: string): string {
  const at = user.indexOf(':');
  return referralKey(user.slice(0, at), user.slice(at + 1), owner.slice(at + 1));
}

/** By user who is part of a loop: the referrals of all their loops, by `referralKey`. */
export function readLoops(
  { store }: TaskContext,
  shard: number,
): Map<string, Map<string, Precedence>> {
  const loops = new Map<string, Map<string, Precedence>>();
  for (const entry of store.read(`loops/${shard}`)) {
    const own = loops.get(entry.key) ?? new Map<string, Precedence>();
    loops.set(entry.key, own);
    for (const [key, first] of jsonOf<[string, Precedence][]>(entry)) own.set(key, first);
  }
  return loops;
}
