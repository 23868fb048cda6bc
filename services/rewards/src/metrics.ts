import {
  counter,
  createMetrics,
  gauge,
  measured,
  type MetricsRegistry,
  sharedLook,
} from '@tributary/http/metrics';
import type { Backlog } from './db/backlog.ts';
import type { Skews } from './db/clock-check.ts';
import type { Issuance } from '@tributary/rewards-fold/entitlement';
import type { RecipientChange } from '@tributary/rewards-fold/recipient-change';

/** What this process did; folds and releases count once they are committed. */
export type RewardMetrics = {
  folded(changes: readonly RecipientChange[], failed: number): void;
  released(changes: readonly RecipientChange[], issuances: readonly Issuance[]): void;
  /** Milliseconds by which the database's clock is ahead of others. */
  comparedClocks(skews: Skews): void;
};

export function createRewardMetrics(registry: MetricsRegistry): RewardMetrics {
  const metrics = createMetrics(registry, {
    rewards_entitlement_changes_total: counter(
      'New versions of entitlements by the state they came to.',
      ['state'],
    ),
    rewards_issuances_total: counter('Issuances written by the release worker of this process.'),
    rewards_fold_failures_total: counter('Folds of a recipient that threw.'),
    rewards_clock_skew_seconds: gauge(
      "By how much the database's clock is ahead of this process's and of the brokers'.",
      ['against'],
    ),
    rewards_releases_stopped_by_clocks_total: counter(
      'Looks for something to release that ended there because clocks differ.',
    ),
  });
  const count = (changes: readonly RecipientChange[]) => {
    for (const { published } of changes) {
      for (const { state } of published) metrics.rewards_entitlement_changes_total.inc({ state });
    }
  };
  return {
    folded(changes, failed) {
      count(changes);
      if (failed > 0) metrics.rewards_fold_failures_total.inc(failed);
    },
    released(changes, facts) {
      count(changes);
      metrics.rewards_issuances_total.inc(facts.length);
    },
    comparedClocks({ process, log, differ }) {
      if (differ) metrics.rewards_releases_stopped_by_clocks_total.inc();
      metrics.rewards_clock_skew_seconds.set({ against: 'process' }, process / 1_000);
      if (log === undefined) metrics.rewards_clock_skew_seconds.remove({ against: 'log' });
      else metrics.rewards_clock_skew_seconds.set({ against: 'log' }, log / 1_000);
    },
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
    rewards_recipients_due: rows('Recipients with something to release.', 'due'),
    rewards_recipients_owing: rows('Recipients who got more than they may keep.', 'owing'),
    rewards_recipients_undecided: rows('Recipients whose fold threw.', 'undecided'),
    rewards_recipients_failing: rows('Recipients whose release failed.', 'failing'),
    rewards_in_review: rows('Rewards that wait for an operator.', 'review'),
    rewards_decisions_waiting: rows('Decisions whose campaign revision is missing.', 'waiting'),
  });
}
