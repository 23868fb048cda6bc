import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

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

export type AddGauge = (name: string, help: string, read: () => number | Promise<number>) => void;

/** Gauges read when somebody asks for the metrics; one that cannot be read keeps its last value. */
export function gaugesOf(registry: Registry): AddGauge {
  return (name, help, read) => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        try {
          this.set(await read());
        } catch {
          // What it measures has a health check of its own.
        }
      },
    });
  };
}

/** Callers at the same time share one look, so that one query serves several gauges. */
export function sharedLook<T>(look: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= look().finally(() => (underWay = undefined));
    return underWay;
  };
}
