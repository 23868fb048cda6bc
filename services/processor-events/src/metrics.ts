import { counter, createMetrics, measured, type MetricsRegistry } from '@tributary/http/metrics';

export type ReceiveMetrics = { received(result: string): void };

export type ProcessorMetrics = ReceiveMetrics & {
  fetched(outcome: string, type: string): void;
};

export function createProcessorMetrics(registry: MetricsRegistry): ProcessorMetrics {
  const metrics = createMetrics(registry, {
    processor_events_received_total: counter(
      'Events that came in, by what became of the request.',
      ['result'],
    ),
    processor_fetches_total: counter(
      'Questions to the payment processor by what was asked for and how they ended.',
      ['type', 'outcome'],
    ),
  });
  return {
    received: (result) => metrics.processor_events_received_total.inc({ result }),
    fetched: (outcome, type) => metrics.processor_fetches_total.inc({ outcome, type }),
  };
}

/** Read when somebody asks for the metrics. */
export function registerProcessorGauges(
  registry: MetricsRegistry,
  sources: {
    inFlight: () => number;
    silent: () => number;
    outboxPending: () => Promise<number>;
  },
): void {
  createMetrics(registry, {
    processor_fetches_in_flight: measured('Questions this process is asking.', sources.inFlight),
    processor_connections_silent: measured(
      'Connections silent for longer than usual.',
      sources.silent,
    ),
    processor_outbox_pending: measured('Facts not yet on the log.', sources.outboxPending),
  });
}
