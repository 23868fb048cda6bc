import type { Queryable } from './queryable.ts';

const known = `tenant_id = $1 and (email is not null or name is not null)`;

/** Some users of whom an e-mail or a name is here, in the order of their ids. */
export async function listKnownPeople(
  db: Queryable,
  tenantId: string,
  page: { after: string; limit: number },
): Promise<{ userId: string; receivedAt: string }[]> {
  const { rows } = await db.query<{ userId: string; receivedAt: string }>(
    `select user_id as "userId", received_at as "receivedAt" from person
     where ${known} and user_id > $2 order by user_id limit $3`,
    [tenantId, page.after, page.limit],
  );
  return rows;
}

export async function countKnownPeople(db: Queryable, tenantId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from person where ${known}`,
    [tenantId],
  );
  return rows[0]?.n ?? 0;
}
