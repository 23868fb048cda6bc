import type { Queryable } from './queryable.ts';

/** Frees what dead or stuck processes held; answers how many. The deliveries are due at once. */
export async function freeExpiredLeases(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `update delivery
     set lease_id = null, lease_owner = null, lease_until = null
     where webhook_event_id in (
       select webhook_event_id from delivery
       where lease_id is not null and lease_until <= now()
       order by webhook_event_id
       for update skip locked
     )`,
  );
  return rowCount ?? 0;
}
