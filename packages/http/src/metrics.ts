import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * The metrics of one process: memory, CPU, garbage collection and event loop lag from the start, and
 * whatever the service adds. Every line carries the label `service`.
 */
export function createRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // The lag is measured by a timer of this many milliseconds, which also runs when idle.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 });
  return registry;
}
