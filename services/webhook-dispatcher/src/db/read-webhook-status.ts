import type { Static } from '@sinclair/typebox';
import type { WebhookStatus as DeclaredStatus } from '@tributary/contracts/admin/webhook-answers';
import type { EndpointStatus } from './find-endpoint.ts';
import type { Queryable } from './queryable.ts';

/** How a tenant's endpoint is set up and how it fares, for people. */
export type WebhookStatus = Static<typeof DeclaredStatus>;

export async function readWebhookStatus(
  db: Queryable,
  tenantId: string,
  { failingAfterMs }: { failingAfterMs: number },
): Promise<WebhookStatus> {
  const { rows } = await db.query<EndpointRow>(
    `select status, url, username, reason, changed_by, changed_at, in_flight, probe_at, opened,
       probe_at <= now() as half_open,
       case when previous_until > now() then previous_until end as overlap_until,
       failing_since, last_success_at, last_failure_at, last_failure,
       coalesce(failing_since <= now() - $2::bigint * interval '1 millisecond', false) as failing
     from endpoint where tenant_id = $1`,
    [tenantId, failingAfterMs],
  );
  const row = rows[0];
  const waiting = await countWaiting(db, tenantId);
  if (!row) return { ...nothingKnown, ...shownWaiting(waiting, 'none', 0) };
  const { status } = row;
  return {
    ...(status !== 'none' && {
      endpoint: {
        url: row.url!,
        username: row.username!,
        status,
        ...(row.reason !== null && { reason: row.reason }),
        ...(row.changed_by !== null && { changedBy: row.changed_by }),
        changedAt: row.changed_at!.toISOString(),
        ...maybe('credentialsOverlapUntil', row.overlap_until),
      },
    }),
    breaker: {
      state: row.probe_at === null ? 'closed' : row.half_open ? 'half-open' : 'open',
      ...maybe('probeAt', row.probe_at),
      opened: row.opened,
    },
    failing: row.failing,
    ...maybe('failingSince', row.failing_since),
    ...maybe('lastSuccessAt', row.last_success_at),
    ...maybe('lastFailureAt', row.last_failure_at),
    ...(row.last_failure !== null && { lastFailure: row.last_failure }),
    ...shownWaiting(waiting, status, row.in_flight),
  };
}

type EndpointRow = {
  status: EndpointStatus;
  url: string | null;
  username: string | null;
  reason: string | null;
  changed_by: string | null;
  changed_at: Date | null;
  in_flight: number;
  probe_at: Date | null;
  opened: number;
  half_open: boolean | null;
  overlap_until: Date | null;
  failing_since: Date | null;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  last_failure: string | null;
  failing: boolean;
};

type Waiting = { due: number; later: number; exhausted: number; oldest: number };

/** `due` counts those being sent, which no index tells apart; `oldest` does not. In seconds. */
async function countWaiting(db: Queryable, tenantId: string): Promise<Waiting> {
  const pending = `tenant_id = $1 and state = 'pending' and body is not null`;
  const oldest = (retry: boolean) =>
    `(select due_at from delivery
      where ${pending} and retry = ${retry} and due_at <= now() and claimed_by is null
      order by due_at limit 1)`;
  const { rows } = await db.query<Waiting>(
    `select
       (select count(*)::int from delivery where ${pending} and due_at <= now()) as due,
       (select count(*)::int from delivery where ${pending} and due_at > now()) as later,
       (select count(*)::int from delivery
        where tenant_id = $1 and state = 'exhausted' and body is not null) as exhausted,
       coalesce(extract(epoch from now() - least(${oldest(false)}, ${oldest(true)})), 0)::float8
         as oldest`,
    [tenantId],
  );
  return rows[0]!;
}

function shownWaiting(
  { due, later, exhausted, oldest }: Waiting,
  status: EndpointStatus,
  inFlight: number,
): Pick<WebhookStatus, 'inFlight' | 'waiting' | 'oldestDueSeconds'> {
  if (status === 'none' || status === 'disabled') {
    const noEndpoint = Math.max(0, due + later - inFlight);
    const waiting = { due: 0, later: 0, exhausted, noEndpoint };
    return { inFlight, waiting, oldestDueSeconds: 0 };
  }
  const waiting = { due: Math.max(0, due - inFlight), later, exhausted, noEndpoint: 0 };
  return { inFlight, waiting, oldestDueSeconds: oldest };
}

const nothingKnown = { breaker: { state: 'closed', opened: 0 }, failing: false } as const;

function maybe<Name extends string>(name: Name, at: Date | null): { [N in Name]?: string } {
  return at === null ? {} : ({ [name]: at.toISOString() } as { [N in Name]?: string });
}
