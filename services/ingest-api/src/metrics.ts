import { counter, createMetrics, measured, type MetricsRegistry } from '@tributary/http/metrics';
import type { Admission } from '@tributary/http/admission';
import type { Acceptance } from './domain/acceptance.ts';

export type IngestMetrics = {
  validated(acceptance: Acceptance): void;
  admitted(admission: Admission): void;
  /** Refused because more came than can be accepted. */
  shed(): void;
  refusalsLost(requests: number): void;
};

export function createIngestMetrics(
  registry: MetricsRegistry,
  waitingNow: () => number,
): IngestMetrics {
  const metrics = createMetrics(registry, {
    tributary_ingest_accepts_total: counter(
      'Valid events by outcome and by what their idempotency key turned out to be.',
      ['outcome', 'idempotency'],
    ),
    tributary_events_refused_total: counter('Events refused by a limit, by reason.', ['reason']),
    tributary_ingest_events_waiting: measured('Events that wait for their answer.', waitingNow),
    tributary_refusals_lost_total: counter('Refused requests that were not recorded.'),
  });
  return {
    shed: () => metrics.tributary_events_refused_total.inc({ reason: 'overload' }),
    refusalsLost: (requests) => metrics.tributary_refusals_lost_total.inc(requests),
    admitted({ outcome }) {
      if (outcome !== 'admitted') metrics.tributary_events_refused_total.inc({ reason: outcome });
    },
    validated(acceptance) {
      const { outcome } = acceptance;
      const idempotency = outcome === 'accepted' ? acceptance.idempotency : 'none';
      metrics.tributary_ingest_accepts_total.inc({ outcome, idempotency });
    },
  };
}
