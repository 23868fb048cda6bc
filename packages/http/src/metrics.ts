import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

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

/**
 * A row of a table of metrics: what it is, under its name on the wire. No label may name a tenant
 * or a person: their number has no bound.
 */
export type Metric<M> = (name: string, registry: MetricsRegistry) => M;
export type MetricsRegistry = Registry;

/** Registers a table of metrics. */
export function createMetrics<T extends Record<string, Metric<unknown>>>(
  registry: MetricsRegistry,
  table: T,
): { [K in keyof T]: ReturnType<T[K]> } {
  const rows = Object.entries(table).map(([name, metric]) => [name, metric(name, registry)]);
  return Object.fromEntries(rows) as { [K in keyof T]: ReturnType<T[K]> };
}

export function counter<L extends string = never>(
  help: string,
  labelNames: readonly L[] = [],
): Metric<Counter<L>> {
  return (name, registry) => new Counter({ name, help, labelNames, registers: [registry] });
}

export function histogram<L extends string = never>(
  help: string,
  buckets: readonly number[],
  labelNames: readonly L[] = [],
): Metric<Histogram<L>> {
  return (name, registry) =>
    new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
}

export function gauge<L extends string = never>(
  help: string,
  labelNames: readonly L[] = [],
): Metric<Gauge<L>> {
  return (name, registry) => new Gauge({ name, help, labelNames, registers: [registry] });
}

/** A gauge read when somebody asks for the metrics; while it cannot be read it keeps its value. */
export function measured(help: string, read: () => number | Promise<number>): Metric<Gauge> {
  return (name, registry) =>
    new Gauge({
      ...{ name, help, registers: [registry] },
      collect() {
        return keepingLast(async () => this.set(await read()));
      },
    });
}

/** The same with a number for each value of a label. */
export function measuredBy<L extends string>(
  label: L,
  help: string,
  read: () => Promise<Readonly<Record<string, number>>>,
): Metric<Gauge<L>> {
  return (name, registry) =>
    new Gauge({
      ...{ name, help, labelNames: [label], registers: [registry] },
      collect() {
        return keepingLast(async () => {
          for (const [value, found] of Object.entries(await read())) {
            this.set({ [label]: value } as Record<L, string>, found);
          }
        });
      },
    });
}

async function keepingLast(measure: () => Promise<void>): Promise<void> {
  try {
    await measure();
  } catch {
    // What it measures has a health check of its own.
  }
}

/** For replay, whose table is not one yet. */
export const gaugesOf =
  (registry: MetricsRegistry) =>
  (name: string, help: string, read: () => number | Promise<number>): void =>
    void measured(help, read)(name, registry);

/** Callers at the same time share one look, so that one query serves several gauges. */
export function sharedLook<T>(look: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= look().finally(() => (underWay = undefined));
    return underWay;
  };
}
