import type { ServerResponse } from 'node:http';
import type { Logger } from '@tributary/runtime/logger';
import { counter, createMetrics, histogram, type MetricsRegistry } from './metrics.ts';
import { requestIdOf } from './request-id.ts';

/** Called when a request comes; its answer is counted and timed when it is out. */
export type RequestObserver<Route extends string> = (route: Route, res: ServerResponse) => void;

const countedOnly = new WeakSet<ServerResponse>();

/** Its refusal gets no line in the log, as thousands like it come in a second. */
export function countOnly(res: ServerResponse): void {
  countedOnly.add(res);
}

/**
 * Counts answers by route and status, times them, and logs refusals by their request id. Routes are
 * names of a fixed number, never paths: those hold ids, whose number has no bound.
 */
export function createRequestObserver<Route extends string>(
  registry: MetricsRegistry,
  logger: Logger,
): RequestObserver<Route> {
  const metrics = createMetrics(registry, {
    http_requests_total: counter('Answers by route and status.', ['route', 'status']),
    http_request_duration_seconds: histogram(
      'From the request line to the end of the answer.',
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      ['route'],
    ),
  });
  return (route, res) => {
    const startedMs = performance.now();
    res.once('finish', () => {
      metrics.http_requests_total.inc({ route, status: String(res.statusCode) });
      metrics.http_request_duration_seconds.observe(
        { route },
        (performance.now() - startedMs) / 1_000,
      );
      if (res.statusCode < 400 || countedOnly.has(res)) return;
      logger.info('refused', { requestId: requestIdOf(res), route, status: res.statusCode });
    });
  };
}
