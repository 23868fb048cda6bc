import type { DeliveryState } from '../domain/known-outcome.ts';
import { namedDelivery, type NamedDelivery } from './find-overdue.ts';
import type { Queryable } from './queryable.ts';

/**
 * With the database's time. A row without a body is not known to anybody yet. One that will be
 * forgotten within the hour, or is noted as forgotten already, is too old: the round that this
 * opens must find it.
 */
export async function findToResend(
  db: Queryable,
  tenantId: string,
  webhookEventId: string,
  { deliveryDays }: { deliveryDays: number },
): Promise<(NamedDelivery & { state: DeliveryState; now: Date; tooOld: boolean }) | undefined> {
  const { rows } = await db.query<
    NamedDelivery & { state: DeliveryState; now: Date; tooOld: boolean }
  >(
    `select ${namedDelivery}, d.state, now() as now,
       d.state = 'delivered'
         and (d.finished_at < now() - $3::int * interval '1 day' + interval '1 hour'
           or exists (select from forgotten f where f.webhook_event_id = d.webhook_event_id))
         as "tooOld"
     from delivery d
     where d.webhook_event_id = $2 and d.tenant_id = $1 and d.body is not null`,
    [tenantId, webhookEventId, deliveryDays],
  );
  return rows[0];
}

/** A period in which deliveries were finished; `until` is not in it. */
export type Period = { since: Date; until?: Date };

const exhaustedWithin = `d.tenant_id = $1 and d.state = 'exhausted' and d.body is not null
  and d.finished_at >= $2 and d.finished_at < coalesce($3, now())`;

/** Exhausted ones, the first finished first. */
export async function findExhausted(
  db: Queryable,
  tenantId: string,
  { since, until }: Period,
  limit: number,
): Promise<(NamedDelivery & { now: Date })[]> {
  const { rows } = await db.query<NamedDelivery & { now: Date }>(
    `select ${namedDelivery}, now() as now
     from delivery d where ${exhaustedWithin}
     order by d.finished_at, d.webhook_event_id limit $4`,
    [tenantId, since, until ?? null, limit],
  );
  return rows;
}

export async function countExhausted(
  db: Queryable,
  tenantId: string,
  { since, until }: Period,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from delivery d where ${exhaustedWithin}`,
    [tenantId, since, until ?? null],
  );
  return rows[0]?.count ?? 0;
}
