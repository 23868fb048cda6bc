import { Counter, type Registry } from 'prom-client';
import type { Acceptance } from './accept-event.ts';

export type IngestMetrics = {
  judged(acceptance: Acceptance): void;
};

/** No label names a tenant or a code: their number has no bound. */
export function createIngestMetrics(registry: Registry): IngestMetrics {
  const registers = [registry];
  const accepts = new Counter({
    name: 'ingest_accepts_total',
    help: 'Valid events by outcome and by what their idempotency key turned out to be.',
    labelNames: ['outcome', 'idempotency'] as const,
    registers,
  });
  return {
    judged(acceptance) {
      const { outcome } = acceptance;
      const idempotency = outcome === 'accepted' ? acceptance.idempotency : 'none';
      accepts.inc({ outcome, idempotency });
    },
  };
}
