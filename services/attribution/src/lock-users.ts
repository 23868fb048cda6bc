import { recordKey } from '@tributary/contracts/topics';
import type { Tx } from '@tributary/runtime/postgres';
import { insertUsers, lockUsers, type UserKey } from './adapters/postgres/referred-users.ts';
import type { Fact } from './domain/fact.ts';

/** Locks the users whose decisions may change; reads come after this. */
export async function lockUsersOf(tx: Tx, facts: readonly Fact[]): Promise<void> {
  const users = new Map(facts.map((fact) => [userKeyOf(fact), toUser(fact)]));
  for (const { tenantId, newUserId } of await insertUsers(tx, [...users.values()])) {
    users.delete(recordKey(tenantId, newUserId));
  }
  if (users.size > 0) await lockUsers(tx, [...users.values()]);
}

/** Also the key of everything about the user on the log. */
export function userKeyOf({ event }: Fact): string {
  return recordKey(event.tenantId, event.newUser.id);
}

function toUser({ event }: Fact): UserKey {
  return { tenantId: event.tenantId, newUserId: event.newUser.id };
}
