import { gaugesOf } from '@tributary/http/metrics';
import type { Freshness } from './freshness.ts';
import { countOpenDeadLetters } from './queries/dead-letters.ts';
import type { ReadModel } from './start-read-model.ts';

/** How far the read model is behind the log. */
export function registerFreshness(
  registry: Parameters<typeof gaugesOf>[0],
  { freshness }: { freshness: Pick<Freshness, 'asOf' | 'behind'> },
): void {
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

/** What somebody should look at. */
export function registerDeadLetters(
  registry: Parameters<typeof gaugesOf>[0],
  readModel: Pick<ReadModel, 'pool'>,
): void {
  gaugesOf(registry)(
    'dead_letters_open',
    'Records that were put aside, and that no operator has redriven or discarded.',
    () => countOpenDeadLetters(readModel.pool),
  );
}
