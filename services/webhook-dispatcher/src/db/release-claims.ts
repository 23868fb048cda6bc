import type { Tx } from '@tributary/runtime/postgres';
import { giveRoomBack, roomFreedBy } from './endpoint-room.ts';
import { insertRoomlessWorker, isDead } from './worker-rows.ts';

/**
 * Gives claims back that were not sent, as if they had never been made. What is no longer held is
 * left alone.
 */
export async function releaseClaims(
  tx: Tx,
  claims: readonly { webhookEventId: string; workerId: string }[],
): Promise<number> {
  if (claims.length === 0) return 0;
  const workers = new Map(claims.map((c) => [c.webhookEventId, c.workerId]));
  const locked = await lockHeld(tx, [...workers.keys()], [...new Set(workers.values())]);
  const held = locked.filter((row) => workers.get(row.webhookEventId) === row.claimedBy);
  await setClaimedBy(tx, held, null);
  await giveRoomBack(tx, roomFreedBy(held));
  return held.length;
}

/**
 * Frees everything that dead workers hold and removes them. Nobody else frees these at the same
 * time, and a worker whose claim is being made this moment is left for the next time. Only for
 * workers whose facts have all been read: what one of them had said is then no claim any more.
 *
 * Claims that `isUnread` names stay until these facts were read as well, but they give their room
 * back. They pass to a worker that nobody is and that takes no room: under a new id, so
 * that whoever noticed the deaths earlier, when less was on the log, does not free them, and so
 * that whatever the dead worker still reports is of a claim that it has lost.
 */
export async function freeDeadWorkers(
  tx: Tx,
  workerIds: readonly string[],
  isUnread: (delivery: DeliveryName) => boolean = () => false,
): Promise<{ workers: number; claims: number }> {
  const { rows } = await tx.query<{ worker_id: string; takes_room: boolean }>(
    `select worker_id, takes_room from worker
     where worker_id = any($1::uuid[]) and ${isDead}
     order by worker_id for update skip locked`,
    [workerIds],
  );
  if (rows.length === 0) return { workers: 0, claims: 0 };
  const dead = rows.map((row) => row.worker_id);
  const roomless = new Set(rows.flatMap((row) => (row.takes_room ? [] : row.worker_id)));
  const held = (await lockHeld(tx, await findHeld(tx, dead), dead)).map((row) => ({
    ...row,
    takesRoom: !roomless.has(row.claimedBy),
  }));
  const freed = held.filter((row) => !isUnread(row));
  const kept = held.filter((row) => !freed.includes(row));
  const passedOn = kept.filter((row) => row.takesRoom);
  await setClaimedBy(tx, freed, null);
  if (passedOn.length > 0) await setClaimedBy(tx, passedOn, await insertRoomlessWorker(tx));
  await giveRoomBack(tx, roomFreedBy([...freed, ...passedOn]));
  const holding = new Set(kept.flatMap((row) => (row.takesRoom ? [] : row.claimedBy)));
  const over = dead.filter((workerId) => !holding.has(workerId));
  await tx.query('delete from worker where worker_id = any($1::uuid[])', [over]);
  return { workers: over.length, claims: freed.length };
}

export type DeliveryName = { tenantId: string; webhookEventId: string };

/**
 * Among all that is pending: `claimed_by` is in no index, and the counters of endpoints may be too
 * low to go by, after an earlier release that took claims without room for claims with room.
 */
async function findHeld(tx: Tx, workerIds: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ webhook_event_id: string }>(
    `select webhook_event_id from delivery
     where state = 'pending' and body is not null and claimed_by = any($1::uuid[])`,
    [workerIds],
  );
  return rows.map((row) => row.webhook_event_id);
}

type Held = { webhookEventId: string; tenantId: string; retry: boolean; claimedBy: string };

async function lockHeld(
  tx: Tx,
  webhookEventIds: readonly string[],
  workerIds: readonly string[],
): Promise<Held[]> {
  const { rows } = await tx.query<{
    webhook_event_id: string;
    tenant_id: string;
    retry: boolean;
    claimed_by: string;
  }>({
    name: 'lock_held',
    text: `select webhook_event_id, tenant_id, retry, claimed_by from delivery
           where webhook_event_id = any($1::uuid[]) and claimed_by = any($2::uuid[])
           order by webhook_event_id
           for no key update`,
    values: [webhookEventIds, workerIds],
  });
  return rows.map((row) => ({
    webhookEventId: row.webhook_event_id,
    tenantId: row.tenant_id,
    retry: row.retry,
    claimedBy: row.claimed_by,
  }));
}

async function setClaimedBy(tx: Tx, held: readonly Held[], workerId: string | null): Promise<void> {
  if (held.length === 0) return;
  await tx.query({
    name: 'set_claimed_by',
    text: 'update delivery set claimed_by = $2 where webhook_event_id = any($1::uuid[])',
    values: [held.map((row) => row.webhookEventId), workerId],
  });
}
