import { gaugesOf, sharedLook } from '@tributary/http/metrics';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Backlog } from './adapters/postgres/backlog.ts';
import type { Skews } from './clock-check.ts';
import type { Issuance } from '@tributary/rewards-fold/entitlement';
import type { RecipientChange } from '@tributary/rewards-fold/recipient-change';

/** What this process did, counted as it happens. */
export type Figures = {
  folded(changes: readonly RecipientChange[], failed: number): void;
  released(changes: readonly RecipientChange[], issuances: readonly Issuance[]): void;
  /** Milliseconds by which the database's clock is ahead of others. */
  comparedClocks(skews: Skews): void;
};

/** No label names a tenant or a person: their number has no bound. */
export function createFigures(registry: Registry): Figures {
  const registers = [registry];
  const entitlements = new Counter({
    name: 'rewards_entitlement_changes_total',
    help: 'New versions of entitlements by the state they came to.',
    labelNames: ['state'] as const,
    registers,
  });
  const issuances = new Counter({
    name: 'rewards_issuances_total',
    help: 'Issuances written by the release worker of this process.',
    registers,
  });
  const failures = new Counter({
    name: 'rewards_fold_failures_total',
    help: 'Folds of a recipient that threw.',
    registers,
  });
  const skew = new Gauge({
    name: 'rewards_clock_skew_seconds',
    help: "By how much the database's clock is ahead of this process's and of the brokers'.",
    labelNames: ['against'] as const,
    registers,
  });
  const stopped = new Counter({
    name: 'rewards_releases_stopped_by_clocks_total',
    help: 'Looks for something to release that ended there because clocks differ.',
    registers,
  });
  const count = (changes: readonly RecipientChange[]) => {
    for (const { published } of changes) {
      for (const { state } of published) entitlements.inc({ state });
    }
  };
  return {
    folded(changes, failed) {
      count(changes);
      if (failed > 0) failures.inc(failed);
    },
    released(changes, facts) {
      count(changes);
      issuances.inc(facts.length);
    },
    comparedClocks({ process, log, differ }) {
      if (differ) stopped.inc();
      skew.set({ against: 'process' }, process / 1_000);
      if (log === undefined) skew.remove({ against: 'log' });
      else skew.set({ against: 'log' }, log / 1_000);
    },
  };
}

/** Read when somebody asks for the metrics; one look at the tables serves all gauges. */
export function registerBacklog(
  registry: Registry,
  sources: {
    readBacklog: () => Promise<Backlog>;
    rewardsPending: () => Promise<number>;
  },
): void {
  const gauge = gaugesOf(registry);
  const backlog = sharedLook(sources.readBacklog);
  const rows = (name: string, help: string, member: keyof Backlog) =>
    gauge(name, help, async () => (await backlog())[member]);

  rows('rewards_recipients_due', 'Recipients with something to release.', 'due');
  rows('rewards_recipients_owing', 'Recipients who got more than they may keep.', 'owing');
  rows('rewards_recipients_undecided', 'Recipients whose fold threw.', 'undecided');
  rows('rewards_recipients_failing', 'Recipients whose release failed.', 'failing');
  rows('rewards_in_review', 'Rewards that wait for an operator.', 'review');
  rows('rewards_decisions_waiting', 'Decisions whose campaign revision is missing.', 'waiting');
  gauge('rewards_outbox_pending', 'Rewards not on the log yet.', sources.rewardsPending);
}
