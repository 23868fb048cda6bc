import { counter, createMetrics, type MetricsRegistry } from '@tributary/http/metrics';
import type { Acceptance } from './domain/acceptance.ts';

export type IngestMetrics = {
  validated(acceptance: Acceptance): void;
};

export function createIngestMetrics(registry: MetricsRegistry): IngestMetrics {
  const metrics = createMetrics(registry, {
    ingest_accepts_total: counter(
      'Valid events by outcome and by what their idempotency key turned out to be.',
      ['outcome', 'idempotency'],
    ),
  });
  return {
    validated(acceptance) {
      const { outcome } = acceptance;
      const idempotency = outcome === 'accepted' ? acceptance.idempotency : 'none';
      metrics.ingest_accepts_total.inc({ outcome, idempotency });
    },
  };
}
