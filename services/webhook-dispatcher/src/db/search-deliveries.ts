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

/** Newest issue first. */
export async function searchDeliveries(
  db: Queryable,
  tenantId: string,
  filter: DeliveryFilter,
  { after, limit }: { after?: SortKey | undefined; limit: number },
): Promise<ShownDelivery[]> {
  const status = await readEndpointStatus(db, tenantId);
  const wanted = storedState(filter.state, status);
  if (wanted === 'none') return [];
  const { rows } = await db.query<DeliveryRow>(
    `${selectDelivery}
     where d.tenant_id = $1 and d.body is not null
       and ($2::text is null or d.state = $2)
       and ($3::text is null or d.recipient_id = $3)
       and ($4::timestamptz is null or d.issued_at >= $4)
       and ($5::timestamptz is null or d.issued_at < $5)
       and ($6::timestamptz is null or (d.issued_at, d.webhook_event_id) < ($6, $7::uuid))
     order by d.issued_at desc, d.webhook_event_id desc
     limit $8`,
    [
      tenantId,
      wanted,
      filter.recipientId ?? null,
      filter.since ?? null,
      filter.until ?? null,
      after?.issuedAt ?? null,
      after?.webhookEventId ?? null,
      limit,
    ],
  );
  return rows.map((row) => toShown(row, status));
}

/** With the bytes that are sent. */
export async function findDelivery(
  db: Queryable,
  tenantId: string,
  webhookEventId: string,
): Promise<{ delivery: ShownDelivery; body: Buffer } | undefined> {
  const status = await readEndpointStatus(db, tenantId);
  const { rows } = await db.query<DeliveryRow>(
    `${selectDelivery}
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

const selectDelivery = `
  select d.webhook_event_id, d.issuance_id, d.reward_id, d.recipient_id, d.state, d.attempts,
    d.round, d.issued_at, d.due_at, d.finished_at, d.body, last.attempt as last_attempt,
    last.started_at as last_started_at, last.result as last_result,
    last.status_code as last_status_code, last.detail as last_detail,
    last.duration_ms as last_duration_ms
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
