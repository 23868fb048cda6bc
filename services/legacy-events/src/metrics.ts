import { counter, createMetrics, type MetricsRegistry } from '@tributary/http/metrics';

export type LegacyMetrics = {
  refusalsLost(requests: number): void;
  refused(reason: 'suspended' | 'over-quota'): void;
  unknownFields(paths: readonly string[]): void;
};

/** Callers choose these names, so their number and their form are bounded; values never appear. */
const maxFieldNames = 50;
const plainPath = /^[A-Za-z_][A-Za-z0-9_.]{0,59}$/;
const other = 'other';

export function createLegacyMetrics(registry: MetricsRegistry): LegacyMetrics {
  const metrics = createMetrics(registry, {
    tributary_legacy_events_unknown_fields_total: counter(
      'Fields that are no part of the legacy envelope, dropped, by name.',
      ['field'],
    ),
    tributary_events_refused_total: counter('Events refused unread, by reason.', ['reason']),
    tributary_refusals_lost_total: counter('Refused requests that were not recorded.'),
  });
  const seen = new Set<string>();

  function labelOf(path: string): string {
    if (seen.has(path)) return path;
    if (seen.size >= maxFieldNames || !plainPath.test(path)) return other;
    seen.add(path);
    return path;
  }

  return {
    refusalsLost: (requests) => metrics.tributary_refusals_lost_total.inc(requests),
    refused: (reason) => metrics.tributary_events_refused_total.inc({ reason }),
    unknownFields(paths) {
      for (const path of paths)
        metrics.tributary_legacy_events_unknown_fields_total.inc({ field: labelOf(path) });
    },
  };
}
