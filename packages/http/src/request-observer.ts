import type { ServerResponse } from 'node:http';
import type { Logger } from '@tributary/runtime/logger';
import { Counter, Histogram, type Registry } from 'prom-client';
import { requestIdOf } from './request-id.ts';

/** Called when a request comes; its answer is counted and timed when it is out. */
export type RequestObserver<Route extends string> = (route: Route, res: ServerResponse) => void;

/**
 * Counts answers by route and status, times them, and logs refusals by their request id. Routes are
 * names of a fixed number, never paths: those hold ids, whose number has no bound.
 */
export function createRequestObserver<Route extends string>(
  registry: Registry,
  logger: Logger,
): RequestObserver<Route> {
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
  return (route, res) => {
    const startedMs = performance.now();
    res.once('finish', () => {
      requests.inc({ route, status: String(res.statusCode) });
      duration.observe({ route }, (performance.now() - startedMs) / 1_000);
      if (res.statusCode < 400) return;
      logger.info('refused', { requestId: requestIdOf(res), route, status: res.statusCode });
    });
  };
}
