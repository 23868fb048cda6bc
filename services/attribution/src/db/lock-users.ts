import { recordKey } from '@tributary/contracts/topics';
import type { Tx } from '@tributary/runtime/postgres';
import type { FreshFacts } from './facts.ts';
import { insertUsers, lockUsers, type UserKey } from './referred-users.ts';
import { type Fact, userKeyOf } from '@tributary/attribution-fold/fact';
import { hasFacts, type UserState, withFacts } from '@tributary/attribution-fold/user-state';

/** A user whose row this transaction has locked. */
export type LockedUser = UserKey & {
  /** As it was found; null: never summed up. */
  stored: UserState | null;
  /** With the new facts. */
  state: UserState;
  /** Whether there are facts besides the new ones. */
  hadFacts: boolean;
};

/** By `recordKey(tenantId, newUserId)`. */
export type LockedUsers = ReadonlyMap<string, LockedUser>;

/** Locks the users whose decisions may change; reads come after this. */
export async function lockUsersOf(
  tx: Tx,
  wanted: {
    facts: readonly Fact[];
    /** Those of the facts that this transaction is about to store. */
    fresh?: FreshFacts;
    others?: readonly UserKey[];
  },
): Promise<LockedUsers> {
  const { facts, fresh = new Map(), others = [] } = wanted;
  const users = new Map<string, UserKey>();
  for (const fact of facts) users.set(userKeyOf(fact), toUser(fact));
  for (const user of others) users.set(recordKey(user.tenantId, user.newUserId), user);
  const added = Map.groupBy(
    facts.filter(({ event }) => fresh.has(event.eventId)),
    userKeyOf,
  );
  const stateOf = (key: string, state: UserState) => withFacts(state, added.get(key) ?? []);

  const locked = new Map<string, LockedUser>();
  if (users.size === 0) return locked;
  const asNew = [...users].map(([key, user]) => ({ ...user, state: stateOf(key, {}) }));
  const inserted = new Set(
    (await insertUsers(tx, asNew)).map((user) => recordKey(user.tenantId, user.newUserId)),
  );
  for (const { state, ...user } of asNew) {
    const key = recordKey(user.tenantId, user.newUserId);
    if (!inserted.has(key)) continue;
    users.delete(key);
    locked.set(key, { ...user, stored: state, state, hadFacts: false });
  }
  if (users.size === 0) return locked;
  for (const { state: stored, ...user } of await lockUsers(tx, [...users.values()])) {
    const key = recordKey(user.tenantId, user.newUserId);
    const hadFacts = stored === null || hasFacts(stored);
    locked.set(key, { ...user, stored, state: stateOf(key, stored ?? {}), hadFacts });
  }
  return locked;
}

export function toUser({ event }: Fact): UserKey {
  return { tenantId: event.tenantId, newUserId: event.newUser.id };
}
