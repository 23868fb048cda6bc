import {
  counter,
  createMetrics,
  histogram,
  measuredRows,
  type MetricsRegistry,
  mirroredRows,
} from '@tributary/http/metrics';
import type { AnsweredRequest } from './domain/read-line.ts';
import type { EdgeStatus } from './nginx/read-status.ts';

export function createEdgeMetrics(registry: MetricsRegistry, status: () => Promise<EdgeStatus>) {
  const metrics = createMetrics(registry, {
    tributary_edge_requests_total: counter(
      'Requests by the service that their path leads to, status, and who answered.',
      ['route', 'status', 'by'],
    ),
    tributary_edge_request_duration_seconds: histogram(
      'From the first byte of a request to the end of its answer; closing the connection is included.',
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      ['route', 'status_class'],
    ),
    tributary_edge_requests_read_total: mirroredRows(
      'Requests that nginx has begun to read, those of this service included.',
      [],
      async () => (await status()).requests,
    ),
    tributary_edge_connections_accepted_total: mirroredRows(
      'Connections that nginx has accepted, those that it dropped for want of room included.',
      [],
      async () => (await status()).accepted,
    ),
    tributary_edge_connections_handled_total: mirroredRows(
      'Connections that nginx has accepted and had room for.',
      [],
      async () => (await status()).handled,
    ),
    tributary_edge_connections: measuredRows('Open connections.', ['state'], async () => {
      const { reading, writing, waiting } = await status();
      return rowsBy('state', { reading, writing, waiting });
    }),
  });

  return {
    count({ route, status, by, seconds }: AnsweredRequest): void {
      metrics.tributary_edge_requests_total.inc({ route, status, by });
      metrics.tributary_edge_request_duration_seconds.observe(
        { route, status_class: `${status[0]}xx` },
        seconds,
      );
    },
  };
}

function rowsBy(label: string, values: Readonly<Record<string, number>>) {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}
