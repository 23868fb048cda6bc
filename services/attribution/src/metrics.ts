import {
  counter,
  createMetrics,
  histogram,
  measured,
  type MetricsRegistry,
  sharedLook,
} from '@tributary/http/metrics';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { Backlog } from './db/backlog.ts';

/** What this process did: decisions and folds that failed count once they are committed. */
export type AttributionMetrics = {
  decided(decisions: readonly DecisionRecord[]): void;
  foldFailed(): void;
  /** Call the result when the batch is applied. */
  timeBatch(source: string): () => void;
};

export function createAttributionMetrics(registry: MetricsRegistry): AttributionMetrics {
  const metrics = createMetrics(registry, {
    attribution_decisions_total: counter('New versions of decisions by what was decided.', [
      'outcome',
      'reason',
    ]),
    attribution_fold_failures_total: counter('Folds of a referred user that threw.'),
    attribution_batch_seconds: histogram(
      'Time to apply a batch, without its commit.',
      [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      ['source'],
    ),
  });
  return {
    decided(records) {
      for (const { outcome, reason } of records)
        metrics.attribution_decisions_total.inc({ outcome, reason: reason ?? '' });
    },
    foldFailed: () => metrics.attribution_fold_failures_total.inc(),
    timeBatch: (source) => metrics.attribution_batch_seconds.startTimer({ source }),
  };
}

/** Read when somebody asks for the metrics; one look at the tables serves all gauges. */
export function registerBacklog(
  registry: MetricsRegistry,
  readBacklog: () => Promise<Backlog>,
): void {
  const backlog = sharedLook(readBacklog);
  const rows = (help: string, member: keyof Backlog) =>
    measured(help, async () => (await backlog())[member]);
  createMetrics(registry, {
    attribution_decisions_waiting: rows('Events whose code nobody has published.', 'waiting'),
    attribution_decisions_undecided: rows('Events whose fold threw.', 'undecided'),
    attribution_refolds_pending: rows(
      'Changes that the sweeper has to work through.',
      'recomputeJobs',
    ),
  });
}
