import { Counter, Histogram, type Registry } from 'prom-client';
import type { Acceptance } from './accept-event.ts';
import type { RouteName } from './adapters/http/public-app.ts';

export type IngestMetrics = {
  answered(route: RouteName, status: number, seconds: number): void;
  judged(acceptance: Acceptance): void;
};

/** No label names a tenant or a code: their number has no bound. */
export function createIngestMetrics(registry: Registry): IngestMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Answers by route and status.',
    labelNames: ['route', 'status'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the request line to the end of the answer.',
    labelNames: ['route'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const accepts = new Counter({
    name: 'ingest_accepts_total',
    help: 'Valid events by outcome and by what their idempotency key turned out to be.',
    labelNames: ['outcome', 'idempotency'] as const,
    registers,
  });
  return {
    answered(route, status, seconds) {
      requests.inc({ route, status: String(status) });
      duration.observe({ route }, seconds);
    },
    judged(acceptance) {
      const { outcome } = acceptance;
      const idempotency = outcome === 'accepted' ? acceptance.idempotency : 'none';
      accepts.inc({ outcome, idempotency });
    },
  };
}
