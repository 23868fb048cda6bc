import type { ServerResponse } from 'node:http';
import type { Logger } from '@tributary/runtime/logger';
import { counter, createMetrics, histogram, type MetricsRegistry } from './metrics.ts';
import { requestIdOf } from './request-id.ts';

/**
 * Called when a request comes; its answer is counted and timed when it is out. Routes are names of
 * a fixed number, never paths: those hold ids, whose number has no bound. A function is called when
 * the answer is out.
 */
export type RequestObserver<Route extends string> = (
  route: Route | (() => Route),
  res: ServerResponse,
) => void;

const countedOnly = new WeakSet<ServerResponse>();

/** Its refusal gets no line in the log, as thousands like it come in a second. */
export function countOnly(res: ServerResponse): void {
  countedOnly.add(res);
}

/** Counts answers by route and status, times them, and logs refusals by their request id. */
export function createRequestObserver<Route extends string>(
  registry: MetricsRegistry,
  logger: Logger,
): RequestObserver<Route> {
  return createTimer(registry, (route, res) => {
    if (res.statusCode < 400 || countedOnly.has(res)) return;
    logger.info('refused', { requestId: requestIdOf(res), route, status: res.statusCode });
  });
}

/** The same without lines in the log. */
export function createRequestTimer<Route extends string>(
  registry: MetricsRegistry,
): RequestObserver<Route> {
  return createTimer(registry, () => undefined);
}

function createTimer<Route extends string>(
  registry: MetricsRegistry,
  onAnswer: (route: Route, res: ServerResponse) => void,
): RequestObserver<Route> {
  const metrics = metricsOf(registry);
  return (named, res) => {
    const startedMs = performance.now();
    res.once('finish', () => {
      const route = typeof named === 'function' ? named() : named;
      metrics.tributary_http_requests_total.inc({ route, status: String(res.statusCode) });
      metrics.tributary_http_request_duration_seconds.observe(
        { route, status_class: `${Math.floor(res.statusCode / 100)}xx` },
        (performance.now() - startedMs) / 1_000,
      );
      onAnswer(route, res);
    });
  };
}

const createHttpMetrics = (registry: MetricsRegistry) =>
  createMetrics(registry, {
    tributary_http_requests_total: counter('Answers by route and status.', ['route', 'status']),
    tributary_http_request_duration_seconds: histogram(
      'From the request line to the end of the answer, by route and class of the status.',
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      ['route', 'status_class'],
    ),
  });

/** A process with a public and an internal listener has them once. */
const known = new WeakMap<MetricsRegistry, ReturnType<typeof createHttpMetrics>>();

function metricsOf(registry: MetricsRegistry): ReturnType<typeof createHttpMetrics> {
  const metrics = known.get(registry) ?? createHttpMetrics(registry);
  known.set(registry, metrics);
  return metrics;
}
