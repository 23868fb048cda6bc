import { gaugesOf, sharedLook } from '@tributary/http/metrics';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Backlog } from './adapters/postgres/backlog.ts';

/** What this process did, counted as it happens. A batch that is rolled back counts too. */
export type Figures = {
  decided(decisions: readonly DecisionRecord[]): void;
  foldFailed(): void;
  /** Call the result when the batch is applied. */
  timeBatch(source: string): () => void;
};

/** No label names a tenant or a person: their number has no bound. */
export function createFigures(registry: Registry): Figures {
  const registers = [registry];
  const decisions = new Counter({
    name: 'attribution_decisions_total',
    help: 'New versions of decisions by what was decided.',
    labelNames: ['outcome', 'reason'] as const,
    registers,
  });
  const failures = new Counter({
    name: 'attribution_fold_failures_total',
    help: 'Folds of a referred user that threw.',
    registers,
  });
  const batches = new Histogram({
    name: 'attribution_batch_seconds',
    help: 'Time to apply a batch, without its commit.',
    labelNames: ['source'] as const,
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers,
  });
  return {
    decided(records) {
      for (const { outcome, reason } of records) decisions.inc({ outcome, reason: reason ?? '' });
    },
    foldFailed: () => failures.inc(),
    timeBatch: (source) => batches.startTimer({ source }),
  };
}

/** Read when somebody asks for the metrics; one look at the tables serves all gauges. */
export function registerBacklog(
  registry: Registry,
  sources: { readBacklog: () => Promise<Backlog>; outboxPending: () => Promise<number> },
): void {
  const gauge = gaugesOf(registry);
  const backlog = sharedLook(sources.readBacklog);
  const rows = (name: string, help: string, member: keyof Backlog) =>
    gauge(name, help, async () => (await backlog())[member]);

  rows('attribution_decisions_waiting', 'Events whose code nobody has published.', 'waiting');
  rows('attribution_decisions_undecided', 'Events whose fold threw.', 'undecided');
  rows('attribution_refolds_pending', 'Changes that the sweeper has to work through.', 'refolds');
  gauge('attribution_outbox_pending', 'Decisions not on the log yet.', sources.outboxPending);
}
