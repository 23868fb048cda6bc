import { columnsOf } from '@tributary/runtime/columns';
import { inOneTurn, type Tx } from '@tributary/runtime/postgres';
import type { TraceContext } from '@tributary/runtime/tracer';
import type { EndpointTarget } from '../domain/target.ts';
import { targetColumns, type TargetRow, toTarget } from './endpoint-target.ts';
import { planByKeySettings } from './plan-by-key.ts';
import { isSuspended } from './put-tenants.ts';
import { isOfThisHistory } from './worker-rows.ts';

/**
 * Claims what is due, in a transaction of the caller's:
 *
 * 1. `holdWorker`: whoever claims is alive, and stays so for the sweep until the commit.
 * 2. `lockEndpoints`: endpoints with something to look at and with room. Locks that others hold are
 *    skipped, so a claim waits for nobody and is in nobody's way for long. Who holds the row of an
 *    endpoint is alone in claiming for it: the room that it reads is the room that there is.
 *    Then `countEnded`, where room is short and this process has claims whose exchanges are over.
 * 3. `takeDeliveries`: due rows of these endpoints, in turn, first tries before retries. A
 *    statement of its own, because its snapshot must be younger than the locks. Those of a stopped
 *    partition, which no index knows, are put off at once (`putOffUnread`).
 * 4. `settleEndpoints`: counts what was taken and notes when the endpoint is next worth a look.
 *
 * `claimed_by` is in no index, so the claim is an update within the page.
 */
export type Claim = {
  webhookEventId: string;
  tenantId: string;
  issuanceId: string;
  body: Buffer;
  /** When the credits were granted; null of what is known from its deliveries only. */
  issuedAt: Date | null;
  round: number;
  /** Its round's start, or that of the tenant's resumption if that was later. */
  horizonFrom: Date;
  /** The attempt to be made, 1, 2, …. */
  attempt: number;
  /** Places of the schedule that were used up before it. */
  step: number;
  /** The endpoint's breaker is open, and this is its probe. */
  probe: boolean;
  workerId: string;
  endpoint: EndpointTarget;
  /** Only where it is traced. */
  trace?: TraceContext;
};

/** For log lines about one that is traced. */
export function requestIdOf({ trace }: Pick<Claim, 'trace'>): { requestId?: string } {
  return trace ? { requestId: trace.requestId } : {};
}

export type ClaimLimits = {
  /** Free slots of this process. */
  limit: number;
  /** In flight per endpoint, over all processes. */
  perEndpoint: number;
  /** Tenants whose endpoints this process cannot send to now. */
  resting?: readonly string[];
  /**
   * Claims of this process whose exchanges are over, whoever has written their results by now.
   * Looked at when it comes to that.
   */
  ended?: ReadonlySet<Claim>;
  /** Deliveries of which the log may say more than was read of it. */
  isUnread?: (delivery: { tenantId: string; webhookEventId: string }) => boolean;
};

/** A worker that is not alive (any more) gets nothing. */
export async function claimDeliveries(
  tx: Tx,
  workerId: string,
  limits: ClaimLimits,
): Promise<Claim[]> {
  const [isAlive, endpoints] = await inOneTurn([
    holdWorker(tx, workerId),
    lockEndpoints(tx, limits),
  ]);
  if (!isAlive || endpoints.length === 0) return [];
  const rooms = roomsOf(endpoints, await countEnded(tx, endpoints, limits), limits);
  const taken = await takeDeliveries(tx, workerId, rooms, limits.limit);
  const rows = await putOffUnread(tx, taken, limits);
  await settleEndpoints(tx, rooms, rows, limits.perEndpoint);
  const endpointOf = new Map(endpoints.map((row) => [row.tenant_id, row]));
  return rows.map((row) => toClaim(row, workerId, endpointOf.get(row.tenant_id)!));
}

/** Retries hold at most so much of an endpoint's room: a first try always finds some. */
export function retryRoom(perEndpoint: number): number {
  return Math.ceil(perEndpoint / 2);
}

/**
 * And keeps the plans at look-ups, see plan-by-key.ts. Whoever holds the row otherwise frees what
 * this worker held: it is dead, and the other one may wait for what our transaction has locked.
 */
async function holdWorker(tx: Tx, workerId: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'hold_worker',
    text: `select ${planByKeySettings}
           from worker where worker_id = $1 and alive_until > now() and ${isOfThisHistory}
           for key share skip locked`,
    values: [workerId],
  });
  return rowCount === 1;
}

type EndpointRow = TargetRow & {
  /** Claims, those included whose exchanges are over. */
  in_flight: number;
  retries_in_flight: number;
  probe: boolean;
  resumed_at: Date | null;
};

/** At most, as some of them may be written. No more of them than may be sent at once. */
const inExchange = 'in_flight - least(in_flight, coalesce(exchanges, 0), $1)';

async function lockEndpoints(tx: Tx, limits: ClaimLimits): Promise<EndpointRow[]> {
  const ended = new Map<string, number>();
  for (const { tenantId } of limits.ended ?? []) {
    ended.set(tenantId, (ended.get(tenantId) ?? 0) + 1);
  }
  const { rows } = await tx.query<EndpointRow>({
    name: 'claim_endpoints',
    text: `select ${targetColumns}, in_flight, retries_in_flight, probe_at is not null as probe,
             (select resumed_at from tenant t where t.tenant_id = endpoint.tenant_id)
           from endpoint
           left join unnest($4::text[], $5::int[]) as ended (of_tenant, exchanges)
             on of_tenant = tenant_id
           where status = 'active' and next_at <= now() and ${inExchange} < $1
             and not ${isSuspended('endpoint')}
             and (probe_at is null or (probe_at <= now() and in_flight = 0))
             and tenant_id <> all($3::text[])
           order by ${inExchange}, next_at
           limit $2
           for no key update of endpoint skip locked`,
    values: [
      limits.perEndpoint,
      limits.limit,
      limits.resting ?? [],
      [...ended.keys()],
      [...ended.values()],
    ],
  });
  return rows;
}

/**
 * How many of these claims are counted in `in_flight`, by tenant; not asked of endpoints that have
 * room for their share all the same. Whoever takes one off that number does it under the lock of
 * the endpoint, which is ours since the statement before: the result's writer, the reader of our
 * own facts in whichever process, who frees what a dead worker held (we may have been that one).
 */
async function countEnded(
  tx: Tx,
  endpoints: readonly EndpointRow[],
  { limit, perEndpoint, ended = new Set() }: ClaimLimits,
): Promise<ReadonlyMap<string, number>> {
  const share = shareOf(endpoints, limit);
  const isShort = (row: EndpointRow) => perEndpoint - row.in_flight < share;
  const locked = new Set(endpoints.filter(isShort).map((row) => row.tenant_id));
  const claims = [...ended].filter(({ tenantId }) => locked.has(tenantId));
  if (claims.length === 0) return new Map();
  const { rows } = await tx.query<{ tenant_id: string; count: number }>({
    name: 'count_ended',
    text: `select tenant_id, count(*)::int as count
           from unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[])
             as claim (of_event, worker_id, of_round, attempt)
           join delivery on webhook_event_id = of_event and claimed_by = worker_id
             and round = of_round and attempts = attempt - 1
           group by tenant_id`,
    values: columnsOf(claims, 'webhookEventId', 'workerId', 'round', 'attempt'),
  });
  return new Map(rows.map((row) => [row.tenant_id, row.count]));
}

type Room = {
  tenantId: string;
  inFlight: number;
  ended: number;
  room: number;
  retryRoom: number;
};

function shareOf(endpoints: readonly EndpointRow[], limit: number): number {
  return Math.ceil(limit / endpoints.length);
}

/**
 * What each endpoint may get in this claim. With many endpoints everyone gets a share of the slots;
 * what that leaves over is taken by the next claim, which follows as long as one finds anything.
 */
function roomsOf(
  endpoints: readonly EndpointRow[],
  endedOf: ReadonlyMap<string, number>,
  limits: ClaimLimits,
): Room[] {
  const { limit, perEndpoint } = limits;
  const share = shareOf(endpoints, limit);
  return endpoints.map((row) => {
    const ended = Math.min(row.in_flight, endedOf.get(row.tenant_id) ?? 0, perEndpoint);
    const inFlight = row.in_flight - ended;
    const free = row.probe ? 1 : perEndpoint - inFlight;
    const room = Math.max(0, Math.min(free, share));
    const forRetries = row.probe ? 1 : retryRoom(perEndpoint) - row.retries_in_flight;
    return {
      tenantId: row.tenant_id,
      inFlight,
      ended,
      room,
      retryRoom: Math.max(0, Math.min(room, forRetries)),
    };
  });
}

type DeliveryRow = {
  webhook_event_id: string;
  tenant_id: string;
  issuance_id: string;
  body: Buffer;
  issued_at: Date | null;
  round: number;
  round_started_at: Date;
  attempts: number;
  step: number;
  retry: boolean;
  traceparent: string | null;
  request_id: string | null;
};

async function takeDeliveries(
  tx: Tx,
  workerId: string,
  rooms: readonly Room[],
  limit: number,
): Promise<DeliveryRow[]> {
  const { rows } = await tx.query<DeliveryRow>({
    name: 'take_deliveries',
    text: takeStatement,
    values: [workerId, ...columnsOf(rooms, 'tenantId', 'inFlight', 'room', 'retryRoom'), limit],
  });
  return rows;
}

/** A little later, so that they are not all that is found while there is other work. */
async function putOffUnread(
  tx: Tx,
  taken: readonly DeliveryRow[],
  { isUnread = () => false }: ClaimLimits,
): Promise<readonly DeliveryRow[]> {
  const unread = taken.filter((row) =>
    isUnread({ tenantId: row.tenant_id, webhookEventId: row.webhook_event_id }),
  );
  if (unread.length === 0) return taken;
  await tx.query({
    name: 'put_off_unread',
    text: `update delivery set claimed_by = null, due_at = now() + interval '5 seconds'
           where webhook_event_id = any($1::uuid[])`,
    values: [unread.map((row) => row.webhook_event_id)],
  });
  return taken.filter((row) => !unread.includes(row));
}

const waiting = (retry: boolean) =>
  `state = 'pending' and body is not null and claimed_by is null
   and tenant_id = e.tenant_id and ${retry ? 'retry' : 'not retry'}`;

const due = (retry: boolean, room: string) =>
  `select webhook_event_id, retry, due_at from delivery
   where ${waiting(retry)} and due_at <= now() order by due_at limit ${room}`;

// The arrays of sub-selects keep the plan at look-ups by key, whatever the statistics say.
const takeStatement = `
  with candidate as (
    select due.webhook_event_id, e.in_flight, e.room,
      row_number() over (partition by e.tenant_id order by due.retry, due.due_at) as nth
    from unnest($2::text[], $3::int[], $4::int[], $5::int[])
      as e (tenant_id, in_flight, room, retry_room)
    cross join lateral (
      (${due(false, 'e.room')}) union all (${due(true, 'e.retry_room')})
    ) as due
  ),
  chosen as (
    select webhook_event_id from candidate
    where nth <= room order by in_flight + nth limit $6
  ),
  locked as (
    select webhook_event_id from delivery
    where webhook_event_id = any(array(select webhook_event_id from chosen))
      and state = 'pending' and claimed_by is null and due_at <= now()
    for no key update skip locked
  )
  update delivery set claimed_by = $1
  where webhook_event_id = any(array(select webhook_event_id from locked))
  returning webhook_event_id, tenant_id, issuance_id, body, issued_at, round, round_started_at,
    attempts, step, retry, traceparent, request_id`;

async function settleEndpoints(
  tx: Tx,
  rooms: readonly Room[],
  taken: readonly DeliveryRow[],
  perEndpoint: number,
): Promise<void> {
  const claims = new Map<string, number>();
  const retries = new Map<string, number>();
  for (const { tenant_id, retry } of taken) {
    claims.set(tenant_id, (claims.get(tenant_id) ?? 0) + 1);
    if (retry) retries.set(tenant_id, (retries.get(tenant_id) ?? 0) + 1);
  }
  await tx.query({
    name: 'settle_endpoints',
    text: settleStatement,
    values: [
      rooms.map((r) => r.tenantId),
      rooms.map((r) => claims.get(r.tenantId) ?? 0),
      rooms.map((r) => retries.get(r.tenantId) ?? 0),
      perEndpoint,
      retryRoom(perEndpoint),
      rooms.map((r) => r.ended),
    ],
  });
}

const nextDue = (retry: boolean) =>
  `(select due_at from delivery where ${waiting(retry)} order by due_at limit 1)`;

// Without room there is nothing to look for: whoever gives room back says so in next_at. Nor is it
// ever put before now: with more endpoints than slots they are served in the order of next_at, and
// who was served now has to be behind who was not, however old the work is that it has left.
const settleStatement = `
  update endpoint e
  set in_flight = e.in_flight + taken.claims,
    retries_in_flight = e.retries_in_flight + taken.retries,
    next_at = case
      when e.in_flight + taken.claims >= $4 + taken.ended then now()
      else greatest(now(), coalesce(least(
        ${nextDue(false)},
        case when e.retries_in_flight + taken.retries < $5 then ${nextDue(true)} end
      ), 'infinity'))
    end
  from unnest($1::text[], $2::int[], $3::int[], $6::int[])
    as taken (tenant_id, claims, retries, ended)
  where e.tenant_id = taken.tenant_id`;

function toClaim(row: DeliveryRow, workerId: string, endpoint: EndpointRow): Claim {
  return {
    webhookEventId: row.webhook_event_id,
    tenantId: row.tenant_id,
    issuanceId: row.issuance_id,
    issuedAt: row.issued_at,
    body: row.body,
    round: row.round,
    horizonFrom: later(row.round_started_at, endpoint.resumed_at),
    attempt: row.attempts + 1,
    step: row.step,
    probe: endpoint.probe,
    workerId,
    endpoint: toTarget(endpoint),
    ...(row.traceparent !== null && {
      trace: { traceparent: row.traceparent, requestId: row.request_id ?? '' },
    }),
  };
}

function later(one: Date, other: Date | null): Date {
  return other !== null && other > one ? other : one;
}
