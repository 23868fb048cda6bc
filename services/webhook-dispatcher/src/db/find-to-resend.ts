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

/**
 * A period in which deliveries were finished; `until` is not in it. Without it the period has no
 * end: the clock of the process that gave a delivery up may be a little ahead of the database's.
 */
export type Period = { since: Date; until?: Date };

const exhaustedWithin = `d.tenant_id = $1 and d.state = 'exhausted' and d.body is not null
  and d.finished_at >= $2 and ($3::timestamptz is null or d.finished_at < $3)`;

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

/** What an operator sends again in bulk. */
export type ResendFilter = {
  state: DeliveryState;
  recipientId?: string | undefined;
  /** When the reward was issued; `until` itself is excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
};

/**
 * What was asked for anew since it was counted does not match any more: its round began later. What
 * is delivered and too old to be found by a round is left out, as {@link findToResend} refuses it.
 */
const resendable = `d.tenant_id = $1 and d.body is not null and d.state = $2
  and d.round_started_at < $3 and coalesce(d.finished_at, '-infinity') < $3
  and (d.state <> 'pending' or d.due_at > now())
  and ($4::text is null or d.recipient_id = $4)
  and ($5::timestamptz is null or d.issued_at >= $5)
  and ($6::timestamptz is null or d.issued_at < $6)
  and (d.state <> 'delivered' or (d.finished_at >= now() - $7::int * interval '1 day'
    + interval '1 hour' and not exists (
      select from forgotten f where f.webhook_event_id = d.webhook_event_id)))`;

type Resendable = { tenantId: string; filter: ResendFilter; asOf: Date; deliveryDays: number };

function valuesOf({ tenantId, filter, asOf, deliveryDays }: Resendable): unknown[] {
  const { state, recipientId, since, until } = filter;
  return [tenantId, state, asOf, recipientId ?? null, since ?? null, until ?? null, deliveryDays];
}

/** How many match, up to `limit`, with the credits that they tell of. */
export async function countResendable(
  db: Queryable,
  about: Resendable,
  limit: number,
): Promise<{ count: number; credits: string }> {
  const { rows } = await db.query<{ count: number; credits: string }>(
    `select count(*)::int as count, trim_scale(coalesce(sum(
       (convert_from(body, 'UTF8')::json #>> '{data,reward,amount}')::numeric), 0))::text as credits
     from (select d.body from delivery d where ${resendable} limit $8) as found`,
    [...valuesOf(about), limit],
  );
  return rows[0] ?? { count: 0, credits: '0' };
}

/** Those issued first. */
export async function findResendable(
  db: Queryable,
  about: Resendable,
  limit: number,
): Promise<(NamedDelivery & { now: Date })[]> {
  const { rows } = await db.query<NamedDelivery & { now: Date }>(
    `select ${namedDelivery}, now() as now from delivery d where ${resendable}
     order by d.issued_at, d.webhook_event_id limit $8`,
    [...valuesOf(about), limit],
  );
  return rows;
}

export async function readNow(db: Queryable): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('select now() as now');
  return rows[0]!.now;
}
