import type { Tx } from '@tributary/runtime/postgres';
import { readOwnersSince } from './code-owners.ts';
import { type FreshFacts, readFactsOfUsers } from './facts.ts';
import { type Fact, userKeyOf } from '@tributary/attribution-fold/fact';
import { type UserState, withFacts } from '@tributary/attribution-fold/user-state';
import type { LockedUsers } from './lock-users.ts';

/** By user. */
export type WholeUsers = Map<string, readonly Fact[]>;

type SumUp = {
  users: LockedUsers;
  fresh: FreshFacts;
  sumOnly: boolean;
  factsOfUser: number;
};

/** All facts of the wanted users; those with too many are named instead. */
export async function readWholeUsers(
  tx: Tx,
  { users, fresh, sumOnly, factsOfUser }: SumUp,
  wanted: ReadonlySet<string>,
): Promise<{ wholeUsers: WholeUsers; tooLarge: string[] }> {
  if (wanted.size === 0) return { wholeUsers: new Map(), tooLarge: [] };
  // All facts may be decided again in this transaction.
  const share = Math.floor((10 * factsOfUser) / wanted.size);
  const limit = sumOnly ? undefined : Math.min(factsOfUser, share);
  const keys = [...wanted].flatMap((key) => users.get(key) ?? []);
  const found = Map.groupBy(
    await readFactsOfUsers(tx, keys, limit === undefined ? undefined : limit + 1, fresh),
    userKeyOf,
  );
  const wholeUsers: WholeUsers = new Map();
  const tooLarge: string[] = [];
  for (const key of wanted) {
    const own = found.get(key) ?? [];
    if (limit !== undefined && own.length > limit) tooLarge.push(key);
    else wholeUsers.set(key, own);
  }
  return { wholeUsers, tooLarge };
}

/** What the locked users amount to, but for the binding. */
export async function sumUp(
  tx: Tx,
  users: LockedUsers,
  wholeUsers: WholeUsers,
): Promise<Map<string, UserState>> {
  const states = new Map([...users].map(([key, { state }]) => [key, state]));
  if (wholeUsers.size === 0) return states;
  const keys = [...wholeUsers.keys()].flatMap((key) => users.get(key) ?? []);
  const since = await readOwnersSince(tx, keys);
  for (const [key, own] of wholeUsers) {
    const { bound } = states.get(key) ?? {};
    const ownsCodeSince = since.get(key);
    states.set(key, {
      ...withFacts({}, own),
      ...(ownsCodeSince !== undefined && { ownsCodeSince }),
      ...(bound !== undefined && { bound }),
    });
  }
  return states;
}
