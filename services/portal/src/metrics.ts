import type { ReadModel } from '@tributary/generations/start-read-model';
import {
  counter,
  createMetrics,
  measured,
  type MetricsRegistry,
  ofAllReplicas,
} from '@tributary/http/metrics';
import { countOpenDeadLetters } from './console/db/queries/dead-letters.ts';

/** What somebody should look at. */
export function registerDeadLetters(
  registry: MetricsRegistry,
  readModel: Pick<ReadModel, 'pool'>,
): void {
  createMetrics(registry, {
    tributary_dead_letters_open: measured(
      `Records that were put aside, and that no operator has redriven or discarded. ${ofAllReplicas}`,
      () => countOpenDeadLetters(readModel.pool),
    ),
  });
}

/** How proofs of domains were found when they were looked at again. */
export function countDomainChecks(
  registry: MetricsRegistry,
): (result: 'found' | 'missing' | 'lost') => void {
  const metrics = createMetrics(registry, {
    tributary_portal_domain_checks_total: counter(
      'Proofs of domains that were looked at again, by what was found; a lost one counts no longer.',
      ['result'],
    ),
  });
  return (result) => metrics.tributary_portal_domain_checks_total.inc({ result });
}

/** What retention deletes. */
export function countPruned(registry: MetricsRegistry): (rows: number) => void {
  const metrics = createMetrics(registry, {
    tributary_read_model_attempts_deleted_total: counter(
      'Failed attempts of webhooks that were delivered longer ago than is kept.',
    ),
  });
  return (rows) => metrics.tributary_read_model_attempts_deleted_total.inc(rows);
}
