import {
  counter,
  createMetrics,
  histogram,
  measured,
  type MetricsRegistry,
  ofAllReplicas,
} from '@tributary/http/metrics';
import { sharedLook } from '@tributary/runtime/shared-look';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { Backlog } from './db/backlog.ts';

/** What this process did: decisions and folds that failed count once they are committed. */
export type AttributionMetrics = {
  decided(decisions: readonly DecisionRecord[]): void;
  foldFailed(): void;
  /** Call the result when the batch is applied. */
  timeBatch(source: string): () => void;
};

/** @param isLive whether this generation is; others decide old facts. */
export function createAttributionMetrics(
  registry: MetricsRegistry,
  isLive: () => boolean,
): AttributionMetrics {
  const metrics = createMetrics(registry, {
    tributary_attribution_decisions_total: counter(
      'New versions of decisions by what was decided.',
      ['outcome', 'reason'],
    ),
    tributary_attribution_decision_delay_seconds: histogram(
      'From the receipt of an event until its first decision was committed, in the live generation.',
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800],
    ),
    tributary_attribution_fold_failures_total: counter('Folds of a referred user that threw.'),
    tributary_attribution_batch_duration_seconds: histogram(
      'Time to apply a batch, without its commit.',
      [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      ['source'],
    ),
  });
  return {
    decided(records) {
      const nowMs = Date.now();
      for (const { outcome, reason, version, receivedAt } of records) {
        metrics.tributary_attribution_decisions_total.inc({ outcome, reason: reason ?? '' });
        if (version > 1 || !isLive()) continue;
        const delayMs = Math.max(0, nowMs - Date.parse(receivedAt));
        metrics.tributary_attribution_decision_delay_seconds.observe(delayMs / 1_000);
      }
    },
    foldFailed: () => metrics.tributary_attribution_fold_failures_total.inc(),
    timeBatch: (source) =>
      metrics.tributary_attribution_batch_duration_seconds.startTimer({ source }),
  };
}

/** Read when somebody asks for the metrics; one look at the tables serves all gauges. */
export function registerBacklog(
  registry: MetricsRegistry,
  readBacklog: () => Promise<Backlog>,
): void {
  const backlog = sharedLook(readBacklog);
  const rows = (help: string, member: keyof Backlog) =>
    measured(`${help} ${ofAllReplicas}`, async () => (await backlog())[member]);
  createMetrics(registry, {
    tributary_attribution_decisions_waiting: rows(
      'Events whose code nobody has published.',
      'waiting',
    ),
    tributary_attribution_decisions_undecided: rows('Events whose fold threw.', 'undecided'),
    tributary_attribution_recompute_jobs_pending: rows(
      'Changes that the sweeper has to work through.',
      'recomputeJobs',
    ),
  });
}
