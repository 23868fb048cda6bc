import type { Tx } from '@tributary/runtime/postgres';
import { addRecomputeJobs, type RecomputeJob } from '../db/recompute-jobs.ts';
import {
  type Referral,
  type ReferralKey,
  removeReferrals,
  writeReferrals,
} from '../db/referrals.ts';
import { writeUsers } from '../db/referred-users.ts';
import { sameState } from '@tributary/attribution-fold/user-state';
import type { Gathered, Work } from './gather.ts';

/**
 * Writes what has changed about the locked users, and the work for the sweeper: what is left of
 * this transaction's own, and the owners whose side of a possible loop has changed. An owner's row
 * is not locked for that, since every event of a code would wait for it.
 */
export async function writeUserStates(
  tx: Tx,
  { users }: Work,
  { states, tooLarge, referrals }: Gathered,
  left: readonly RecomputeJob[],
): Promise<void> {
  const changed = [...users].flatMap(([key, { tenantId, newUserId, stored }]) => {
    const state = states.get(key);
    if (!state || (stored && sameState(stored, state))) return [];
    // Nobody knows the whole of it yet.
    if (stored === null && tooLarge.includes(key)) return [];
    return [{ tenantId, newUserId, state }];
  });
  await writeUsers(tx, changed);

  const written: Referral[] = [];
  const removed: ReferralKey[] = [];
  for (const [key, { tenantId, newUserId, referrals: after }] of referrals.after) {
    if (!users.has(key)) continue;
    const before = referrals.before.get(key)?.referrals ?? new Map<string, never>();
    for (const [ownerId, fact] of after) {
      if (before.get(ownerId)?.eventId === fact.eventId) continue;
      written.push({ tenantId, newUserId, ownerId, fact });
    }
    for (const ownerId of before.keys()) {
      if (!after.has(ownerId)) removed.push({ tenantId, newUserId, ownerId });
    }
  }
  await writeReferrals(tx, written);
  await removeReferrals(tx, removed);
  const owners = new Map(
    [...written, ...removed].map(({ tenantId, ownerId }) => [
      JSON.stringify([tenantId, ownerId]),
      { tenantId, scope: 'user' as const, subject: ownerId },
    ]),
  );
  await addRecomputeJobs(tx, [...left, ...owners.values()]);
}
