import type { Tx } from '@tributary/runtime/postgres';

/** Claims of one endpoint that ended, and how many of them were of retries. */
export type RoomFreed = { tenantId: string; claims: number; retries: number };

/** Sums up rows whose claim ended, by endpoint, those whose claim took no room included. */
export function roomFreedBy(
  rows: readonly { tenantId: string; retry: boolean; takesRoom?: boolean }[],
): RoomFreed[] {
  const byTenant = new Map<string, RoomFreed>();
  for (const { tenantId, retry, takesRoom = true } of rows) {
    let freed = byTenant.get(tenantId);
    if (!freed) byTenant.set(tenantId, (freed = { tenantId, claims: 0, retries: 0 }));
    if (!takesRoom) continue;
    freed.claims += 1;
    if (retry) freed.retries += 1;
  }
  return [...byTenant.values()];
}

/** Locks endpoints in the one order (see the migration). */
export async function lockEndpoints(tx: Tx, tenantIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'lock_endpoints',
    text: `select tenant_id from endpoint where tenant_id = any($1::text[])
           order by tenant_id collate "C" for no key update`,
    values: [tenantIds],
  });
}

/**
 * The counters of endpoint `e` without these claims, in an update. Not below zero: a process of an
 * earlier release may have taken claims off them that were not in them. Such counters are right
 * again as soon as nothing of the endpoint is in flight.
 */
export function takenOff(claims: string, retries: string): string {
  return `in_flight = greatest(0, e.in_flight - ${claims}),
    retries_in_flight = least(
      greatest(0, e.retries_in_flight - ${retries}),
      greatest(0, e.in_flight - ${claims}))`;
}

/**
 * Takes ended claims off their endpoints' counters and has the endpoints looked at: what waited for
 * room may go now. To be called by whoever sets `claimed_by` back, in the same transaction, with
 * the rows of delivery locked before.
 */
export async function giveRoomBack(tx: Tx, freed: readonly RoomFreed[]): Promise<void> {
  if (freed.length === 0) return;
  await lockEndpoints(
    tx,
    freed.map((f) => f.tenantId),
  );
  await tx.query({
    name: 'give_room_back',
    text: `update endpoint e
           set ${takenOff('f.claims', 'f.retries')},
             next_at = least(e.next_at, now())
           from unnest($1::text[], $2::int[], $3::int[]) as f (tenant_id, claims, retries)
           where e.tenant_id = f.tenant_id`,
    values: [freed.map((f) => f.tenantId), freed.map((f) => f.claims), freed.map((f) => f.retries)],
  });
}
