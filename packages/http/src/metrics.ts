import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/**
 * The metrics of one process: memory, CPU, garbage collection and event loop lag from the start,
 * and whatever the service adds. Every line carries the label `service`.
 */
export function createRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // The lag is measured by a timer of this many milliseconds, which also runs when idle.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 });
  return registry;
}

/** For one generation of the folds in a process; every line carries the label `generation` too. */
export function createGenerationMetrics(service: string, generation: number): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service, generation: String(generation) });
  return registry;
}

/** What `/metrics` answers with. */
export type MetricsText = Pick<Registry, 'contentType' | 'metrics'>;

/**
 * Several registries as one text. A metric that more than one of them has is one group of lines, as
 * the format wants it.
 */
export function mergedMetrics(registries: () => readonly Registry[]): MetricsText {
  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    async metrics() {
      const texts = await Promise.all(registries().map((registry) => registry.metrics()));
      const groups = new Map<string, string[]>();
      for (const group of texts.flatMap((text) => text.split(/^(?=# HELP )/m))) {
        const [help = '', type = '', ...lines] = group.trim().split('\n');
        const head = `${help}\n${type}`;
        if (help !== '') groups.set(head, [...(groups.get(head) ?? []), ...lines]);
      }
      return [...groups].map(([head, lines]) => `${[head, ...lines].join('\n')}\n`).join('\n');
    },
  };
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
