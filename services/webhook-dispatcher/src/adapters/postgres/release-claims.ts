import type { Tx } from '@tributary/runtime/postgres';
import { giveRoomBack, roomFreedBy } from './endpoint-room.ts';

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
  return free(tx, held);
}

/**
 * Frees everything that dead workers hold and removes them. Nobody else frees these at the same
 * time, and a worker whose claim is being made this moment is left for the next time. Only for
 * workers whose facts have all been read: what one of them had said is then no claim any more.
 * Claims that `isUnread` names stay, and so does their worker, until these facts were read as well.
 */
export async function freeDeadWorkers(
  tx: Tx,
  workerIds: readonly string[],
  isUnread: (delivery: DeliveryName) => boolean = () => false,
): Promise<{ workers: number; claims: number }> {
  const { rows } = await tx.query<{ worker_id: string }>(
    `select worker_id from worker where worker_id = any($1::uuid[]) and alive_until <= now()
     order by worker_id for update skip locked`,
    [workerIds],
  );
  if (rows.length === 0) return { workers: 0, claims: 0 };
  const dead = rows.map((row) => row.worker_id);
  const held = await lockHeld(tx, await findHeld(tx, dead), dead);
  const kept = held.filter(isUnread);
  const claims = await free(
    tx,
    held.filter((row) => !kept.includes(row)),
  );
  const holding = new Set(kept.map((row) => row.claimedBy));
  const over = dead.filter((workerId) => !holding.has(workerId));
  await tx.query('delete from worker where worker_id = any($1::uuid[])', [over]);
  return { workers: over.length, claims };
}

export type DeliveryName = { tenantId: string; webhookEventId: string };

/** By way of the endpoints with something in flight: `claimed_by` is in no index. */
async function findHeld(tx: Tx, workerIds: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ webhook_event_id: string }>(
    `select d.webhook_event_id from endpoint e join delivery d using (tenant_id)
     where e.in_flight > 0 and d.state = 'pending' and d.body is not null
       and d.claimed_by = any($1::uuid[])`,
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

async function free(tx: Tx, held: readonly Held[]): Promise<number> {
  if (held.length === 0) return 0;
  await tx.query({
    name: 'free_claims',
    text: 'update delivery set claimed_by = null where webhook_event_id = any($1::uuid[])',
    values: [held.map((row) => row.webhookEventId)],
  });
  await giveRoomBack(tx, roomFreedBy(held));
  return held.length;
}
