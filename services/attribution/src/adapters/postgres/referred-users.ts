import type { Tx } from '@tributary/runtime/postgres';

export type UserKey = { tenantId: string; newUserId: string };

/** Makes the rows that are missing; says which those were. They are locked, being new. */
export async function insertUsers(tx: Tx, users: readonly UserKey[]): Promise<UserKey[]> {
  const { rows } = await tx.query<UserRow>({
    name: 'insert_users',
    text: `insert into referred_user (tenant_id, new_user_id)
           select tenant_id, new_user_id
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, new_user_id)
           order by tenant_id collate "C", new_user_id collate "C"
           on conflict (tenant_id, new_user_id) do nothing
           returning tenant_id, new_user_id`,
    values: toColumns(users),
  });
  return rows.map((row) => ({ tenantId: row.tenant_id, newUserId: row.new_user_id }));
}

/** Locks the rows in one order everywhere. */
export async function lockUsers(tx: Tx, users: readonly UserKey[]): Promise<void> {
  await tx.query({
    name: 'lock_users',
    text: `select 1
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, new_user_id)
           join referred_user u using (tenant_id, new_user_id)
           order by u.tenant_id, u.new_user_id
           for update of u`,
    values: toColumns(users),
  });
}

type UserRow = { tenant_id: string; new_user_id: string };

function toColumns(users: readonly UserKey[]): string[][] {
  return [users.map((u) => u.tenantId), users.map((u) => u.newUserId)];
}
