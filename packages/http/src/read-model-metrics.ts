import { createMetrics, measured, type MetricsRegistry } from './metrics.ts';

/** How far a read model is behind the log. */
export function registerFreshness(
  registry: MetricsRegistry,
  { freshness }: { freshness: { asOf(): Date | undefined; behind(): number } },
): void {
  createMetrics(registry, {
    read_model_behind_records: measured('Records on the log and not yet in the read model.', () =>
      freshness.behind(),
    ),
    read_model_as_of_timestamp_seconds: measured(
      'Everything on the log at this time is in the read model; 0 while it is being built.',
      () => (freshness.asOf()?.getTime() ?? 0) / 1_000,
    ),
  });
}
