import { gaugesOf } from '@tributary/http/metrics';
import { Counter, type Registry } from 'prom-client';

export type ReceiveMetrics = { received(result: string): void };

export type ProcessorMetrics = ReceiveMetrics & {
  fetched(outcome: string, type: string): void;
};

export function createProcessorMetrics(registry: Registry): ProcessorMetrics {
  const registers = [registry];
  const received = new Counter({
    name: 'processor_events_received_total',
    help: 'Events that came in, by what became of the request.',
    labelNames: ['result'] as const,
    registers,
  });
  const fetched = new Counter({
    name: 'processor_fetches_total',
    help: 'Questions to the payment processor by what was asked for and how they ended.',
    labelNames: ['type', 'outcome'] as const,
    registers,
  });
  return {
    received: (result) => received.inc({ result }),
    fetched: (outcome, type) => fetched.inc({ outcome, type }),
  };
}

/** Read when somebody asks for the metrics. */
export function registerGauges(
  registry: Registry,
  sources: {
    /** Questions that this process is asking. */
    inFlight: () => number;
    /** Connections that are silent for longer than usual. */
    silent: () => number;
    outboxPending: () => Promise<number>;
  },
): void {
  const gauge = gaugesOf(registry);
  gauge('processor_fetches_in_flight', 'Questions this process is asking.', sources.inFlight);
  gauge(
    'processor_connections_silent',
    'Connections silent for longer than usual.',
    sources.silent,
  );
  gauge('processor_outbox_pending', 'Facts not yet on the log.', sources.outboxPending);
}
