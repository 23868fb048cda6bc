import { recordKey } from '@tributary/contracts/topics';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { UserState } from '@tributary/attribution-fold/user-state';

export type UserKey = { tenantId: string; newUserId: string };

/** Makes the rows that are missing; says which those were. They are locked, being new. */
export async function insertUsers(
  tx: Tx,
  users: readonly (UserKey & { state: UserState })[],
): Promise<UserKey[]> {
  const { rows } = await tx.query<UserKey>({
    name: 'insert_users',
    text: `insert into referred_user (tenant_id, new_user_id, state)
           select tenant_id, new_user_id, state
           from unnest($1::text[], $2::text[], $3::json[]) as wanted (tenant_id, new_user_id, state)
           order by tenant_id collate "C", new_user_id collate "C"
           on conflict (tenant_id, new_user_id) do nothing
           returning tenant_id as "tenantId", new_user_id as "newUserId"`,
    values: columnsOf(users, 'tenantId', 'newUserId', ({ state }) => JSON.stringify(state)),
  });
  return rows;
}

export type StoredUser = UserKey & {
  /** Null: never summed up. */
  state: UserState | null;
};

/** Locks the rows in one order everywhere. */
export async function lockUsers(tx: Tx, users: readonly UserKey[]): Promise<StoredUser[]> {
  const { rows } = await tx.query<StoredUser>({
    name: 'lock_users',
    text: `select u.tenant_id as "tenantId", u.new_user_id as "newUserId", u.state
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, new_user_id)
           join referred_user u using (tenant_id, new_user_id)
           order by u.tenant_id, u.new_user_id
           for update of u`,
    values: columnsOf(users, 'tenantId', 'newUserId'),
  });
  return rows;
}

/** Without a lock: who changes them tells everybody whose decision follows. */
export async function readUsers(
  tx: Tx,
  users: readonly UserKey[],
): Promise<Map<string, UserState>> {
  const { rows } = await tx.query<StoredUser>({
    name: 'read_users',
    text: `select u.tenant_id as "tenantId", u.new_user_id as "newUserId", u.state
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, new_user_id)
           join referred_user u using (tenant_id, new_user_id)`,
    values: columnsOf(users, 'tenantId', 'newUserId'),
  });
  return new Map(
    rows.map(({ tenantId, newUserId, state }) => [recordKey(tenantId, newUserId), state ?? {}]),
  );
}

/** Under their locks. */
export async function writeUsers(
  tx: Tx,
  users: readonly (UserKey & { state: UserState })[],
): Promise<void> {
  if (users.length === 0) return;
  await tx.query({
    name: 'write_users',
    text: `update referred_user u set state = next.state
           from unnest($1::text[], $2::text[], $3::json[]) as next (tenant_id, new_user_id, state)
           where u.tenant_id = next.tenant_id and u.new_user_id = next.new_user_id`,
    values: columnsOf(users, 'tenantId', 'newUserId', ({ state }) => JSON.stringify(state)),
  });
}
