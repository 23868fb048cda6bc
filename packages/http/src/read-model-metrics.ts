import { gaugesOf } from './metrics.ts';

/** How far a read model is behind the log. */
export function registerFreshness(
  registry: Parameters<typeof gaugesOf>[0],
  readModel: { freshness: { asOf(): Date | undefined; behind(): number } },
): void {
  const { freshness } = readModel;
  const gauge = gaugesOf(registry);
  gauge('read_model_behind_records', 'Records on the log and not yet in the read model.', () =>
    freshness.behind(),
  );
  gauge(
    'read_model_as_of_timestamp_seconds',
    'Everything on the log at this time is in the read model; 0 while it is being built.',
    () => (freshness.asOf()?.getTime() ?? 0) / 1_000,
  );
}
