import type { ReadModel } from '@tributary/generations/start-read-model';
import { gaugesOf } from '@tributary/http/metrics';
import { countOpenDeadLetters } from './queries/dead-letters.ts';

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
