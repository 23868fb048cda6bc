import type { Precedence } from '@tributary/attribution-fold/precedence';
import { recordKey } from '@tributary/contracts/topics';
import type { Tx } from '@tributary/runtime/postgres';
import { readReferrals, readReferralsOf } from './referrals.ts';
import type { UserKey } from './referred-users.ts';
import { referralKey } from '@tributary/attribution-fold/decision-context';
import type { Referrals } from '@tributary/attribution-fold/user-state';

/** By user and then by owner. */
export type ReferralsByUser = ReadonlyMap<string, UserKey & { referrals: Referrals }>;

/** The stored referrals of these users, each of whom has an entry. */
export async function readReferralsByUser(
  tx: Tx,
  users: readonly UserKey[],
): Promise<ReferralsByUser> {
  const found = new Map(
    users.map(({ tenantId, newUserId }) => [
      recordKey(tenantId, newUserId),
      { tenantId, newUserId, referrals: new Map<string, Precedence>() },
    ]),
  );
  if (users.length === 0) return found;
  for (const { tenantId, newUserId, ownerId, fact } of await readReferralsOf(tx, users)) {
    found.get(recordKey(tenantId, newUserId))?.referrals.set(ownerId, fact);
  }
  return found;
}

/** These referrals and those that lead the other way, as loops are evaluated by. */
export async function oppositesOf(
  tx: Tx,
  present: ReferralsByUser,
): Promise<Map<string, Precedence>> {
  const opposite = [...present.values()].flatMap(({ tenantId, newUserId, referrals }) =>
    [...referrals.keys()].map((ownerId) => ({ tenantId, newUserId: ownerId, ownerId: newUserId })),
  );
  const all = new Map<string, Precedence>();
  if (opposite.length === 0) return all;
  for (const { tenantId, newUserId, ownerId, fact } of await readReferrals(tx, opposite)) {
    // What is about to be written for a user in hand counts more than what is stored.
    if (present.has(recordKey(tenantId, newUserId))) continue;
    all.set(referralKey(tenantId, newUserId, ownerId), fact);
  }
  for (const { tenantId, newUserId, referrals } of present.values()) {
    for (const [ownerId, fact] of referrals) {
      all.set(referralKey(tenantId, newUserId, ownerId), fact);
    }
  }
  return all;
}
