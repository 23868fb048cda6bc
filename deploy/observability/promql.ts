import type { DocumentedMetric } from './documented-metrics.ts';

/** What a PromQL expression names. */
export type Uses = {
  /** With the labels that its selector names. */
  metrics: readonly { name: string; labels: readonly string[] }[];
  /** In `by`, `on` and the like. */
  grouped: readonly string[];
  /** Names and labels that nobody has; `shown` are further labels that its result must have. */
  unknownTo(documented: ReadonlyMap<string, DocumentedMetric>, shown?: readonly string[]): string[];
};

/**
 * Ours are all called `tributary_…`, and others by their makers: that makes a parser unnecessary. A
 * metric that is none of these is an unknown one.
 */
export function usesOf(expr: string): Uses {
  const found = expr.matchAll(/\b([a-z]+_\w+)\b(?:\s*\{([^}]*)\})?/g);
  const metrics = [...found]
    .filter(([, name]) => !functions.has(name!))
    .map(([, name, selector = '']) => ({
      name: name!,
      labels: [...selector.matchAll(/(\w+)\s*[=!]~?"/g)].map(([, label]) => label!),
    }))
    .filter(({ name }) => !isGroupingLabel(expr, name));
  const clauses = expr.matchAll(/\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g);
  const grouped = [...clauses].flatMap(([, list]) => list!.split(',').map((label) => label.trim()));
  return { metrics, grouped, unknownTo };

  function unknownTo(
    documented: ReadonlyMap<string, DocumentedMetric>,
    shown: readonly string[] = [],
  ): string[] {
    const known = new Set<string>();
    const unknown: string[] = [];
    for (const { name, labels } of metrics) {
      const own = labelsOf(name, documented);
      if (own === undefined) unknown.push(name);
      for (const label of own ?? []) known.add(label);
      unknown.push(...labels.filter((label) => !own?.includes(label)).map((x) => `${name}{${x}}`));
    }
    return [...unknown, ...[...grouped, ...shown].filter((label) => !known.has(label))];
  }
}

function labelsOf(
  name: string,
  documented: ReadonlyMap<string, DocumentedMetric>,
): readonly string[] | undefined {
  const part = /^(.+)_(bucket|sum|count)$/.exec(name);
  const histogram = part ? documented.get(part[1]!) : undefined;
  if (histogram?.type === 'histogram') return [...ofAll, ...histogram.labels, 'le'];
  const metric = documented.get(name);
  if (metric !== undefined && metric.type !== 'histogram') return [...ofAll, ...metric.labels];
  return ofOthers[name];
}

/** A label with an underscore, which stands between the brackets of a `by`, is no metric. */
function isGroupingLabel(expr: string, name: string): boolean {
  return new RegExp(`\\b(?:by|on)\\s*\\([^)]*\\b${name}\\b[^)]*\\)`).test(expr);
}

/** `instance` and `job` are Prometheus' own. */
const ofAll = ['service', 'generation', 'instance', 'job'];

/** Metrics of prom-client, for each process of Node, and of the exporters that README.md names. */
const ofOthers: Readonly<Record<string, readonly string[]>> = {
  process_cpu_seconds_total: ofAll,
  process_resident_memory_bytes: ofAll,
  nodejs_eventloop_lag_p99_seconds: ofAll,
  nodejs_heap_size_used_bytes: ofAll,
  kubelet_volume_stats_available_bytes: ['persistentvolumeclaim', 'namespace'],
  kubelet_volume_stats_capacity_bytes: ['persistentvolumeclaim', 'namespace'],
  node_filesystem_avail_bytes: ['mountpoint', 'fstype', 'instance'],
  node_filesystem_size_bytes: ['mountpoint', 'fstype', 'instance'],
  probe_ssl_earliest_cert_expiry: ['instance', 'job'],
};

const functions = new Set(['histogram_quantile', 'min_over_time', 'predict_linear']);
