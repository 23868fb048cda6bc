import { setTimeout as delay } from 'node:timers/promises';
import type { Gauge as PartGauge, GaugeRow, Measure, Measured } from '@tributary/runtime/component';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * The metrics of one process: memory, CPU, garbage collection and event loop lag from the start,
 * and whatever the service adds. Every line carries the label `service`.
 */
export function createRegistry(service: string): Registry {
  const registry = createServiceRegistry(service);
  // The lag is measured by a timer of this many milliseconds, which also runs when idle.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 });
  return registry;
}

/** Without those of the process. */
export function createServiceRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
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
export function mergedMetrics(registries: () => readonly MetricsText[]): MetricsText {
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

/** For the help of a gauge over what all replicas share. */
export const ofAllReplicas = 'Every replica gives the number of all; use max.';

/**
 * A gauge that is read when somebody asks for the metrics. While it cannot be read it has no line:
 * an old number would be taken for the present one.
 */
export function measured(help: string, read: () => number | Promise<number>): Metric<Gauge> {
  return measuredRows(help, [], read);
}

/** The same with a number for each value of a label. */
export function measuredBy<L extends string>(
  label: L,
  help: string,
  read: () => Promise<Readonly<Record<string, number>>>,
): Metric<Gauge> {
  return measuredRows(help, [label], async () =>
    Object.entries(await read()).map(([name, value]) => ({ labels: { [label]: name }, value })),
  );
}

/** The same with a number for each set of labels. */
export function measuredRows(
  help: string,
  labelNames: readonly string[],
  read: () => Measured | Promise<Measured>,
): Metric<Gauge> {
  return (name, registry) =>
    rowsGauge(name, { help, labelNames, registry, readRows: () => readInTime(read) });
}

/**
 * A counter that somebody else keeps, for each set of labels: read when somebody asks, and without
 * a line while it cannot be read.
 */
export function mirroredRows(
  help: string,
  labelNames: readonly string[],
  read: () => Measured | Promise<Measured>,
): Metric<Counter> {
  return (name, registry) =>
    new Counter({
      ...{ name, help, labelNames, registers: [registry] },
      async collect() {
        const rows = await readInTime(read);
        removeLines(this, labelNames);
        for (const { labels, value } of rows) this.inc(labels, value);
      },
    });
}

/** Without labels, a reset would leave a line with 0. */
function removeLines(metric: Counter | Gauge, labelNames: readonly string[]): void {
  if (labelNames.length === 0) metric.remove();
  else metric.reset();
}

function rowsGauge(
  name: string,
  options: {
    help: string;
    labelNames: readonly string[];
    registry: MetricsRegistry;
    readRows: () => Promise<readonly GaugeRow[]>;
  },
): Gauge {
  const { help, labelNames, registry, readRows } = options;
  return new Gauge({
    ...{ name, help, labelNames, registers: [registry] },
    async collect() {
      const rows = await readRows();
      removeLines(this, labelNames);
      for (const { labels, value } of rows) this.set(labels, value);
    },
  });
}

/** It must not keep the other metrics waiting; what it measures has a health check of its own. */
async function readInTime(read: () => Measured | Promise<Measured>): Promise<readonly GaugeRow[]> {
  const late = new AbortController();
  const timeout = delay(readTimeoutMs, [], { signal: late.signal }).catch(() => []);
  try {
    const found = await Promise.race([read(), timeout]);
    return typeof found === 'number' ? [{ labels: {}, value: found }] : found;
  } catch {
    return [];
  } finally {
    late.abort();
  }
}

/** Longer than a check may take. */
const readTimeoutMs = 2_500;

/**
 * Registers what the parts of a process measure. Parts of the same kind have the same metrics, and
 * say by labels whose each line is.
 */
export function createMeasure(registry: MetricsRegistry): Measure {
  const gauges = new Map<string, PartGauge['read'][]>();
  const durations = new Map<string, Histogram>();
  return {
    gauge(name, { help, labels = [], read }) {
      const parts = gauges.get(name);
      if (parts) return void parts.push(read);
      const reads = [read];
      gauges.set(name, reads);
      const readRows = async () => (await Promise.all(reads.map(readInTime))).flat();
      rowsGauge(name, { help, labelNames: labels, registry, readRows });
    },
    duration(name, { help, labels, buckets, follow }) {
      const known = durations.get(name) ?? histogram(help, buckets, labels)(name, registry);
      durations.set(name, known);
      follow((seconds, given) => known.observe(given, seconds));
    },
  };
}
