import type { Tx } from '@tributary/runtime/postgres';

export type ErasureRow = { version: number; erasedAt: Date };

/** The next version of the person's erasure; its time never goes back. */
export async function writeErasure(
  tx: Tx,
  erasure: { tenantId: string; userId: string; at: Date; repeatAt: Date },
): Promise<ErasureRow> {
  const { rows } = await tx.query<{ version: number; at_ms: string }>(
    `insert into erasure (tenant_id, user_id, version, erased_at, repeat_at)
     values ($1, $2, 1, $3, $4)
     on conflict (tenant_id, user_id) do update
     set version = erasure.version + 1,
       erased_at = greatest(erasure.erased_at, excluded.erased_at),
       repeat_at = greatest(erasure.repeat_at, excluded.repeat_at)
     returning version, floor(extract(epoch from erased_at) * 1000)::bigint as at_ms`,
    [erasure.tenantId, erasure.userId, erasure.at, erasure.repeatAt],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('an erasure was not written');
  return { version: row.version, erasedAt: new Date(Number(row.at_ms)) };
}

/** People whose second tombstone is due, locked and marked as done; nobody is waited for. */
export async function takeDueRepeats(
  tx: Tx,
  now: Date,
  limit: number,
): Promise<{ tenantId: string; userId: string }[]> {
  const { rows } = await tx.query<{ tenantId: string; userId: string }>(
    `update erasure set repeat_at = null
     where (tenant_id, user_id) in (
       select tenant_id, user_id from erasure
       where repeat_at <= $1 order by repeat_at limit $2
       for update skip locked)
     returning tenant_id as "tenantId", user_id as "userId"`,
    [now, limit],
  );
  return rows;
}

/** When each of these people was erased last, of those that were. */
export async function readErasedAt(
  db: Pick<Tx, 'query'>,
  tenantId: string,
  userIds: readonly string[],
): Promise<Map<string, Date>> {
  const { rows } = await db.query<{ userId: string; erasedAt: Date }>(
    `select user_id as "userId", erased_at as "erasedAt" from erasure
     where tenant_id = $1 and user_id = any($2)`,
    [tenantId, userIds],
  );
  return new Map(rows.map(({ userId, erasedAt }) => [userId, erasedAt]));
}
