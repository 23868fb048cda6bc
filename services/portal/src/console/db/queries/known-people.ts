import { timeOf } from '@tributary/generations/read-model-keys';
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

/** When the newest event of a tenant was received; undefined when none was read. */
export async function newestEventAt(db: Queryable, tenantId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ at: string }>(
    `select received_at as at from event where tenant_id = $1 order by received_at desc limit 1`,
    [tenantId],
  );
  return rows[0] && timeOf(rows[0].at);
}
