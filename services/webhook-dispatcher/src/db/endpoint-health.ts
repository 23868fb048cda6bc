import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { Breaker } from '../domain/breaker.ts';
import { takenOff } from './endpoint-room.ts';

/** How an endpoint fares, as results are added up on it. */
export type EndpointHealth = {
  tenantId: string;
  breaker: Breaker;
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  lastFailure: string | null;
  /** It is worth a look now. */
  isDue: boolean;
};

/** Locks endpoints in the one order (see the migration) and reads how they fare. */
export async function lockEndpointHealth(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<{ nowMs: number; endpoints: EndpointHealth[] }> {
  const { rows } = await tx.query<{
    tenant_id: string;
    now: Date;
    probe_at: Date | null;
    opened: number;
    consecutive_failures: number;
    window_started_at: Date;
    window_attempts: number;
    window_failures: number;
    failing_since: Date | null;
    last_success_at: Date | null;
    last_failure_at: Date | null;
    last_failure: string | null;
    is_due: boolean;
  }>({
    name: 'lock_endpoint_health',
    text: `select tenant_id, clock_timestamp() as now, probe_at, opened, consecutive_failures,
             window_started_at, window_attempts, window_failures,
             failing_since, last_success_at, last_failure_at, last_failure,
             next_at <= now() as is_due
           from endpoint
           where tenant_id = any($1::text[])
           order by tenant_id collate "C"
           for no key update`,
    values: [tenantIds],
  });
  return {
    nowMs: rows[0]?.now.getTime() ?? 0,
    endpoints: rows.map((row) => ({
      tenantId: row.tenant_id,
      breaker: {
        probeAtMs: row.probe_at?.getTime() ?? null,
        opened: row.opened,
        consecutiveFailures: row.consecutive_failures,
        windowStartedAtMs: row.window_started_at.getTime(),
        windowAttempts: row.window_attempts,
        windowFailures: row.window_failures,
      },
      failingSince: row.failing_since,
      lastSuccessAt: row.last_success_at,
      lastFailureAt: row.last_failure_at,
      lastFailure: row.last_failure,
      isDue: row.is_due,
    })),
  };
}

/**
 * Writes how endpoints fare and takes ended claims off their counters. An endpoint that is due is
 * looked at again at once; the look finds out itself. What was waiting for other room has not gone
 * out of sight (claim-deliveries.ts).
 */
export async function recordEndpointHealth(
  tx: Tx,
  endpoints: readonly (EndpointHealth & { claims: number; retries: number })[],
): Promise<void> {
  if (endpoints.length === 0) return;
  const breakers = endpoints.map((e) => e.breaker);
  await tx.query({
    name: 'record_endpoint_health',
    text: recordStatement,
    values: [
      ...columnsOf(endpoints, 'tenantId', 'claims', 'retries'),
      breakers.map((b) => (b.probeAtMs === null ? null : new Date(b.probeAtMs))),
      breakers.map((b) => b.opened),
      breakers.map((b) => b.consecutiveFailures),
      breakers.map((b) => new Date(b.windowStartedAtMs)),
      breakers.map((b) => b.windowAttempts),
      breakers.map((b) => b.windowFailures),
      ...columnsOf(endpoints, 'failingSince', 'lastSuccessAt', 'lastFailureAt', 'lastFailure'),
      ...columnsOf(endpoints, 'isDue'),
    ],
  });
}

const recordStatement = `
  update endpoint e
  set ${takenOff('r.claims', 'r.retries')},
    next_at = case when r.is_due then least(e.next_at, now()) else e.next_at end,
    probe_at = r.probe_at, opened = r.opened, consecutive_failures = r.consecutive_failures,
    window_started_at = r.window_started_at, window_attempts = r.window_attempts,
    window_failures = r.window_failures, failing_since = r.failing_since,
    last_success_at = r.last_success_at, last_failure_at = r.last_failure_at,
    last_failure = r.last_failure
  from unnest($1::text[], $2::int[], $3::int[], $4::timestamptz[], $5::int[], $6::int[],
    $7::timestamptz[], $8::int[], $9::int[], $10::timestamptz[], $11::timestamptz[],
    $12::timestamptz[], $13::text[], $14::boolean[])
    as r (tenant_id, claims, retries, probe_at, opened, consecutive_failures, window_started_at,
      window_attempts, window_failures, failing_since, last_success_at, last_failure_at,
      last_failure, is_due)
  where e.tenant_id = r.tenant_id`;
