import { readFileSync } from 'node:fs';

export type DocumentedMetric = {
  name: string;
  type: string;
  /** Without `service` and `generation`, which any may have. */
  labels: readonly string[];
  /** How several replicas are read: `max`, `sum` or `min`. */
  over: string;
};

/** The rows of the tables of docs/metrics.md, which a test holds equal to what services answer. */
export function documentedMetrics(): Map<string, DocumentedMetric> {
  const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  const rows = page.matchAll(/^\| `(tributary_\w+)` +\| (\w+) +\| ([^|]*)\| `(\w+)` +\|/gm);
  return new Map(
    [...rows].map(([, name, type, labels, over]) => [
      name!,
      {
        ...{ name: name!, type: type!, over: over! },
        labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!),
      },
    ]),
  );
}
