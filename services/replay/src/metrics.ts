import { gaugesOf } from '@tributary/http/metrics';
import type pg from 'pg';
import { Counter, type Registry } from 'prom-client';
import { countOpenJobs } from './db/count-jobs.ts';
import type { JobEnded } from './db/job-rows.ts';

/** What alerts look at: jobs that failed, and a verify that found another state than the log's. */
export type ReplayMetrics = { ended(ended: JobEnded): void };

export function createReplayMetrics(registry: Registry, pool: pg.Pool): ReplayMetrics {
  const registers = [registry];
  const jobs = new Counter({
    name: 'replay_jobs_total',
    help: 'Jobs by how they ended.',
    labelNames: ['kind', 'status'] as const,
    registers,
  });
  const different = new Counter({
    name: 'replay_verify_different_total',
    help: 'Verifies that found the live state to be another than that of the log.',
    registers,
  });
  const gauge = gaugesOf(registry);
  gauge('replay_jobs_open', 'Jobs that wait or run, over all replicas.', () => countOpenJobs(pool));
  return {
    ended({ kind, status, result }) {
      jobs.inc({ kind, status });
      if (kind === 'verify' && outcomeOf(result) === 'different') different.inc();
    },
  };
}

function outcomeOf(result: unknown): unknown {
  return (result as { outcome?: unknown } | null)?.outcome;
}
