import { gaugesOf, sharedLook } from '@tributary/http/metrics';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Backlog } from './adapters/postgres/read-backlog.ts';
import type { Judgement } from './domain/outcome.ts';

export type DispatcherMetrics = {
  attempted(attempt: { judgement: Judgement; durationMs: number }): void;
  leasesExpired: { inc(count: number): void };
};

/** No label names a tenant or an endpoint: their number has no bound. */
export function createDispatcherMetrics(registry: Registry): DispatcherMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Delivery attempts by how they ended.',
    labelNames: ['delivered', 'result', 'status_class'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Time of one exchange with an endpoint.',
    labelNames: ['delivered'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const leasesExpired = new Counter({
    name: 'webhook_leases_expired_total',
    help: 'Claims whose process died or hung before it wrote a result.',
    registers,
  });
  return {
    attempted({ judgement, durationMs }) {
      const delivered = String(judgement.delivered);
      const { result, statusCode } = judgement;
      const statusClass = statusCode === undefined ? 'none' : `${Math.floor(statusCode / 100)}xx`;
      attempts.inc({ delivered, result, status_class: statusClass });
      duration.observe({ delivered }, durationMs / 1_000);
    },
    leasesExpired,
  };
}

/** Read when somebody asks for the metrics; one look at the table serves all of its gauges. */
export function registerBacklogMetrics(
  registry: Registry,
  sources: {
    readBacklog: () => Promise<Backlog>;
    inFlight: () => number;
    outboxPending: () => Promise<number>;
  },
): void {
  const gauge = gaugesOf(registry);
  const backlog = sharedLook(sources.readBacklog);

  gauge('webhook_due', 'Deliveries that are due and not being sent.', async () => {
    return (await backlog()).due;
  });
  gauge('webhook_due_oldest_seconds', 'How long the oldest due delivery has waited.', async () => {
    return (await backlog()).oldestDueSeconds;
  });
  gauge('webhook_without_endpoint', 'Deliveries of tenants without an endpoint.', async () => {
    return (await backlog()).withoutEndpoint;
  });
  gauge('webhook_in_flight', 'Deliveries being sent by this process.', sources.inFlight);
  gauge('webhook_outbox_pending', 'Facts not yet on the log.', sources.outboxPending);
}
