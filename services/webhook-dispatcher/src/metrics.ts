import {
  counter,
  createMetrics,
  histogram,
  measured,
  measuredBy,
  type MetricsRegistry,
  ofAllReplicas,
} from '@tributary/http/metrics';
import { sharedLook } from '@tributary/runtime/shared-look';
import type { EndpointCounts } from './db/count-endpoints.ts';
import type { Backlog } from './db/read-backlog.ts';
import type { Evaluation } from './domain/outcome.ts';

/** What this process did, counted as it happens. */
export type DispatcherMetrics = {
  attempted(attempt: {
    evaluation: Evaluation;
    durationMs: number;
    /** From the issuance to the end of the exchange; absent in rounds that operators asked for. */
    sinceIssuedMs?: number;
  }): void;
  /** Claims of workers that died. */
  leasesExpired: { inc(count: number): void };
  expired: { inc(count: number): void };
  resent: { inc(count: number): void };
  attemptsDeleted: { inc(count: number): void };
  forgotten: { inc(count: number): void };
};

export function createDispatcherMetrics(registry: MetricsRegistry): DispatcherMetrics {
  const metrics = createMetrics(registry, {
    tributary_webhook_attempts_total: counter('Delivery attempts by how they ended.', [
      'delivered',
      'result',
      'status_class',
    ]),
    tributary_webhook_attempt_duration_seconds: histogram(
      'Time of one exchange with an endpoint.',
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      ['delivered'],
    ),
    tributary_webhook_delivery_delay_seconds: histogram(
      'From the issuance of credits until the endpoint has taken their webhook.',
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800, 21_600, 86_400],
    ),
    tributary_webhook_leases_expired_total: counter(
      'Claims whose process died or hung before it wrote a result.',
    ),
    tributary_webhook_expired_total: counter(
      'Deliveries whose horizon passed while nothing could be sent.',
    ),
    tributary_webhook_resent_total: counter('Rounds that operators asked for.'),
    tributary_webhook_attempts_deleted_total: counter(
      'Rows of the attempts log that were older than is kept.',
    ),
    tributary_webhook_deliveries_forgotten_total: counter(
      'Deliveries that were delivered longer ago than is kept.',
    ),
  });
  return {
    leasesExpired: metrics.tributary_webhook_leases_expired_total,
    expired: metrics.tributary_webhook_expired_total,
    resent: metrics.tributary_webhook_resent_total,
    attemptsDeleted: metrics.tributary_webhook_attempts_deleted_total,
    forgotten: metrics.tributary_webhook_deliveries_forgotten_total,
    attempted({ evaluation, durationMs, sinceIssuedMs }) {
      const delivered = String(evaluation.delivered);
      const { result, statusCode } = evaluation;
      metrics.tributary_webhook_attempts_total.inc({
        delivered,
        result,
        status_class: statusClass(statusCode),
      });
      metrics.tributary_webhook_attempt_duration_seconds.observe({ delivered }, durationMs / 1_000);
      if (!evaluation.delivered || sinceIssuedMs === undefined) return;
      const delayMs = Math.max(0, sinceIssuedMs);
      metrics.tributary_webhook_delivery_delay_seconds.observe(delayMs / 1_000);
    },
  };
}

/** An endpoint answers with any number it likes; few classes of them mean anything. */
function statusClass(statusCode: number | undefined): string {
  if (statusCode === undefined) return 'none';
  const hundreds = Math.floor(statusCode / 100);
  return hundreds >= 1 && hundreds <= 5 ? `${hundreds}xx` : 'other';
}

/** Read when somebody asks for the metrics; one look at a table serves all of its gauges. */
export function registerDispatcherGauges(
  registry: MetricsRegistry,
  sources: {
    readBacklog: () => Promise<Backlog>;
    countEndpoints: () => Promise<EndpointCounts>;
  },
): void {
  const backlog = sharedLook(sources.readBacklog);
  const endpoints = sharedLook(sources.countEndpoints);
  createMetrics(registry, {
    tributary_webhook_due: measuredBy(
      'class',
      `Deliveries that are due and not being sent, by what they wait for. ${ofAllReplicas}`,
      async () => mapRecord(await backlog(), ({ due }) => due),
    ),
    tributary_webhook_due_oldest_seconds: measuredBy(
      'class',
      `How long the oldest due delivery has waited, by what it waits for. ${ofAllReplicas}`,
      async () => mapRecord(await backlog(), ({ oldestDueSeconds }) => oldestDueSeconds),
    ),
    tributary_webhook_endpoints: measuredBy(
      'status',
      `Endpoints by status. ${ofAllReplicas}`,
      async () => (await endpoints()).byStatus,
    ),
    tributary_webhook_breakers: measuredBy(
      'state',
      `Breakers of active endpoints by state. ${ofAllReplicas}`,
      async () => (await endpoints()).byBreaker,
    ),
    tributary_webhook_endpoints_failing: measured(
      `Active endpoints that nothing reached for days. ${ofAllReplicas}`,
      async () => (await endpoints()).failing,
    ),
    tributary_webhook_claimed: measured(
      `Deliveries being sent by all processes. ${ofAllReplicas}`,
      async () => (await endpoints()).inFlight,
    ),
  });
}

function mapRecord<T>(
  map: ReadonlyMap<string, T>,
  toNumber: (value: T) => number,
): Record<string, number> {
  return Object.fromEntries([...map].map(([key, value]) => [key, toNumber(value)]));
}
