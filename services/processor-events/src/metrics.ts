import { counter, createMetrics, type MetricsRegistry } from '@tributary/http/metrics';

export type ReceiveMetrics = { received(result: string): void };

export type ProcessorMetrics = ReceiveMetrics & {
  fetched(outcome: string, type: string): void;
  limited(limit: string): void;
};

export function createProcessorMetrics(registry: MetricsRegistry): ProcessorMetrics {
  const metrics = createMetrics(registry, {
    tributary_processor_events_received_total: counter(
      'Events that came in, by what became of the request.',
      ['result'],
    ),
    tributary_processor_fetches_total: counter(
      'Questions to the payment processor by what was asked for and how they ended.',
      ['type', 'outcome'],
    ),
    tributary_processor_limited_total: counter(
      'Requests that the payment processor refused for being too many, by the limit it named.',
      ['limit'],
    ),
  });
  return {
    received: (result) => metrics.tributary_processor_events_received_total.inc({ result }),
    fetched: (outcome, type) => metrics.tributary_processor_fetches_total.inc({ outcome, type }),
    limited: (limit) => metrics.tributary_processor_limited_total.inc({ limit }),
  };
}
