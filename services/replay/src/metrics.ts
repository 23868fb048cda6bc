import {
  counter,
  createMetrics,
  measured,
  type MetricsRegistry,
  ofAllReplicas,
} from '@tributary/http/metrics';
import type pg from 'pg';
import { countOpenJobs } from './db/count-jobs.ts';
import type { JobEnded } from './db/job-rows.ts';

/** What alerts look at: jobs that failed, and a verify that found another state than the log's. */
export type ReplayMetrics = { ended(ended: JobEnded): void };

export function createReplayMetrics(registry: MetricsRegistry, pool: pg.Pool): ReplayMetrics {
  const metrics = createMetrics(registry, {
    tributary_replay_jobs_total: counter('Jobs of this process by how they ended.', [
      'kind',
      'status',
    ]),
    tributary_replay_verify_different_total: counter(
      'Verifications that found the live state to differ from what the log says.',
    ),
    tributary_replay_jobs_open: measured(`Jobs that wait or run. ${ofAllReplicas}`, () =>
      countOpenJobs(pool),
    ),
  });
  return {
    ended({ kind, status, result }) {
      metrics.tributary_replay_jobs_total.inc({ kind, status });
      if (kind === 'verify' && outcomeOf(result) === 'different') {
        metrics.tributary_replay_verify_different_total.inc();
      }
    },
  };
}

function outcomeOf(result: unknown): unknown {
  return (result as { outcome?: unknown } | null)?.outcome;
}
