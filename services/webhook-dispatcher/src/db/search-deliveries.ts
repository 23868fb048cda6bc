import type { Static } from '@sinclair/typebox';
import type { Delivery } from '@tributary/contracts/admin/webhook-answers';
import type { DeliveryState } from '../domain/known-outcome.ts';
import type { EndpointStatus } from './find-endpoint.ts';
import type { Queryable } from './queryable.ts';

/** `no-endpoint` is a pending one whose tenant has none, or has it disabled. */
export type ShownState = ShownDelivery['state'];
export type ShownDelivery = Static<typeof Delivery>;

export type DeliveryFilter = {
  state?: ShownState | undefined;
  recipientId?: string | undefined;
  /** When the reward was issued; `until` itself is excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
};

/** Where a list was left: behind this one. */
export type SortKey = { issuedAt: Date; webhookEventId: string };

export type DeliveryPage = {
  after?: SortKey | undefined;
  limit: number;
  order?: 'newest' | 'oldest' | undefined;
};

/**
 * So many deliveries are looked at for one page where no index has them by state. A page may then
 * hold fewer than asked for, even none, and another one may follow.
 */
const walkedAtOnce = 20_000;

/** By the time of issue. `next` is where the next page begins. */
export async function searchDeliveries(
  db: Queryable,
  tenantId: string,
  filter: DeliveryFilter,
  { after, limit, order }: DeliveryPage,
): Promise<{ deliveries: ShownDelivery[]; next?: SortKey | undefined }> {
  const status = await readEndpointStatus(db, tenantId);
  const wanted = storedState(filter.state, status);
  if (wanted === 'none') return { deliveries: [] };
  const [towards, direction] = order === 'oldest' ? ['>', 'asc'] : ['<', 'desc'];
  const { rows } = await db.query<DeliveryRow & { is_end: boolean }>(
    `with walked as materialized (
       select webhook_event_id, issued_at, state from delivery
       where tenant_id = $1 and body is not null ${ofState(wanted)}
         and ($3::text is null or recipient_id = $3)
         and ($4::timestamptz is null or issued_at >= $4)
         and ($5::timestamptz is null or issued_at < $5)
         and ($6::timestamptz is null or (issued_at, webhook_event_id) ${towards} ($6, $7::uuid))
       order by issued_at ${direction}, webhook_event_id ${direction} limit ${walkedAtOnce}
     ), found as (
       (select webhook_event_id, false as is_end from walked
        where $2::text is null or state = $2
        order by issued_at ${direction}, webhook_event_id ${direction} limit $8)
       union all
       (select webhook_event_id, true from walked
        where (select count(*) from walked) = ${walkedAtOnce}
        order by issued_at ${order === 'oldest' ? 'desc' : 'asc'},
          webhook_event_id ${order === 'oldest' ? 'desc' : 'asc'} limit 1)
     )
     ${selectDelivery('found.is_end')} join found using (webhook_event_id)
     order by d.issued_at ${direction}, d.webhook_event_id ${direction}`,
    [
      ...[tenantId, wanted, filter.recipientId ?? null, filter.since ?? null],
      ...[filter.until ?? null, after?.issuedAt ?? null, after?.webhookEventId ?? null, limit + 1],
    ],
  );
  const found = rows.filter((row) => !row.is_end);
  const end = rows.find((row) => row.is_end);
  const last = found.length > limit ? found[limit - 1] : end;
  return {
    deliveries: found.slice(0, limit).map((row) => toShown(row, status)),
    next: last && { issuedAt: last.issued_at, webhookEventId: last.webhook_event_id },
  };
}

/**
 * Those that wait or were given up have indexes of their own; where they are few these are sorted.
 */
function ofState(wanted: DeliveryState | null): string {
  return wanted === 'exhausted' || wanted === 'pending' ? `and state = '${wanted}'` : '';
}

/** By state, as they are shown; at most `limit` of each are counted. */
export async function countDeliveries(
  db: Queryable,
  tenantId: string,
  filter: DeliveryFilter,
  limit: number,
): Promise<{ counts: { state: ShownState; count: number; more: boolean }[]; now: Date }> {
  const status = await readEndpointStatus(db, tenantId);
  const wanted = storedState(filter.state, status);
  const isNarrow = [filter.recipientId, filter.since, filter.until].some(
    (one) => one !== undefined,
  );
  const states = (['pending', 'delivered', 'exhausted'] as const).filter(
    (state) => wanted === null || wanted === state,
  );
  const counts: { state: ShownState; count: number; more: boolean }[] = [];
  for (const state of wanted === 'none' ? [] : states) {
    const { rows } = await db.query<{ count: number; walked: number }>(
      `with walked as materialized (
         select state from delivery
         where tenant_id = $1 and body is not null
           ${isNarrow || state === 'delivered' ? '' : `and state = '${state}'`}
           and ($2::text is null or recipient_id = $2)
           and ($3::timestamptz is null or issued_at >= $3)
           and ($4::timestamptz is null or issued_at < $4)
         limit ${walkedAtOnce})
       select count(*) filter (where state = '${state}')::int as count, count(*)::int as walked
       from walked`,
      [tenantId, filter.recipientId ?? null, filter.since ?? null, filter.until ?? null],
    );
    const { count = 0, walked = 0 } = rows[0] ?? {};
    const shown = state === 'pending' && isMissing(status) ? 'no-endpoint' : state;
    const more = count > limit || walked === walkedAtOnce;
    counts.push({ state: shown, count: Math.min(count, limit), more });
  }
  const { rows } = await db.query<{ now: Date }>('select now() as now');
  return { counts: counts.filter(({ count, more }) => count > 0 || more), now: rows[0]!.now };
}

/** With the bytes that are sent. */
export async function findDelivery(
  db: Queryable,
  tenantId: string,
  webhookEventId: string,
): Promise<{ delivery: ShownDelivery; body: Buffer } | undefined> {
  const status = await readEndpointStatus(db, tenantId);
  const { rows } = await db.query<DeliveryRow>(
    `${selectDelivery()}
     where d.webhook_event_id = $2 and d.tenant_id = $1 and d.body is not null`,
    [tenantId, webhookEventId],
  );
  const row = rows[0];
  return row && { delivery: toShown(row, status), body: row.body };
}

type DeliveryRow = {
  webhook_event_id: string;
  issuance_id: string;
  reward_id: string;
  recipient_id: string;
  state: DeliveryState;
  attempts: number;
  round: number;
  issued_at: Date;
  due_at: Date;
  finished_at: Date | null;
  body: Buffer;
  last_attempt: number | null;
  last_started_at: Date;
  last_result: string;
  last_status_code: number | null;
  last_detail: string | null;
  last_duration_ms: number;
};

const selectDelivery = (more = 'false as is_end') => `
  select d.webhook_event_id, d.issuance_id, d.reward_id, d.recipient_id, d.state, d.attempts,
    d.round, d.issued_at, d.due_at, d.finished_at, d.body, last.attempt as last_attempt,
    last.started_at as last_started_at, last.result as last_result,
    last.status_code as last_status_code, last.detail as last_detail,
    last.duration_ms as last_duration_ms, ${more}
  from delivery d
  left join lateral (
    select attempt, started_at, result, status_code, detail, duration_ms from attempt a
    where a.webhook_event_id = d.webhook_event_id order by attempt desc limit 1
  ) as last on true`;

async function readEndpointStatus(db: Queryable, tenantId: string): Promise<EndpointStatus> {
  const { rows } = await db.query<{ status: EndpointStatus }>(
    'select status from endpoint where tenant_id = $1',
    [tenantId],
  );
  return rows[0]?.status ?? 'none';
}

/**
 * What a row of the shown state is stored as; null for any, `none` when there can be no such row.
 */
function storedState(
  shown: ShownState | undefined,
  status: EndpointStatus,
): DeliveryState | 'none' | null {
  if (shown === undefined) return null;
  if (shown !== 'pending' && shown !== 'no-endpoint') return shown;
  return (shown === 'no-endpoint') === isMissing(status) ? 'pending' : 'none';
}

function isMissing(status: EndpointStatus): boolean {
  return status === 'none' || status === 'disabled';
}

function toShown(row: DeliveryRow, status: EndpointStatus): ShownDelivery {
  const { state, last_attempt: lastAttempt } = row;
  return {
    webhookEventId: row.webhook_event_id,
    issuanceId: row.issuance_id,
    rewardId: row.reward_id,
    recipientId: row.recipient_id,
    state: state === 'pending' && isMissing(status) ? 'no-endpoint' : state,
    attempts: row.attempts,
    round: row.round,
    issuedAt: row.issued_at.toISOString(),
    ...(state === 'pending' && !isMissing(status) && { dueAt: row.due_at.toISOString() }),
    ...(row.finished_at && { finishedAt: row.finished_at.toISOString() }),
    ...(lastAttempt !== null && {
      lastAttempt: {
        attempt: lastAttempt,
        startedAt: row.last_started_at.toISOString(),
        result: row.last_result,
        ...(row.last_status_code !== null && { statusCode: row.last_status_code }),
        ...(row.last_detail !== null && { detail: row.last_detail }),
        durationMs: row.last_duration_ms,
      },
    }),
  };
}
