import {
  counter,
  createMetrics,
  gauge,
  histogram,
  measured,
  measuredRows,
  type MetricsRegistry,
  ofAllReplicas,
} from '@tributary/http/metrics';
import { sharedLook } from '@tributary/runtime/shared-look';
import type { Backlog } from './db/backlog.ts';
import type { Skews } from './db/clock-check.ts';
import type { LedgerCheck } from './db/ledger-check.ts';
import type { Issuance } from '@tributary/rewards-fold/entitlement';
import type { RecipientChange } from '@tributary/rewards-fold/recipient-change';

/** What this process did; folds and releases count once they are committed. */
export type RewardMetrics = {
  folded(changes: readonly RecipientChange[], failed: number): void;
  released(changes: readonly RecipientChange[], issuances: readonly Issuance[]): void;
  /** Milliseconds by which the database's clock is ahead of others. */
  comparedClocks(skews: Skews): void;
};

/** @param isLive whether this generation is; others fold old decisions. */
export function createRewardMetrics(
  registry: MetricsRegistry,
  isLive: () => boolean,
): RewardMetrics {
  const metrics = createMetrics(registry, {
    tributary_rewards_entitlement_changes_total: counter(
      'New versions of entitlements by the state they came to.',
      ['state'],
    ),
    tributary_rewards_reward_delay_seconds: histogram(
      'From the receipt of an event until a reward for it was committed first, in the live generation.',
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800],
    ),
    tributary_rewards_issuances_total: counter(
      'Issuances written by the release worker of this process.',
    ),
    tributary_rewards_fold_failures_total: counter('Folds of a recipient that threw.'),
    tributary_rewards_clock_skew_seconds: gauge(
      "By how much the database's clock is ahead of this process's and of the brokers'.",
      ['against'],
    ),
    tributary_rewards_releases_stopped_by_clocks_total: counter(
      'Looks for something to release that ended there because clocks differ.',
    ),
  });
  const count = (changes: readonly RecipientChange[]) => {
    for (const { published } of changes) {
      for (const { state } of published) {
        metrics.tributary_rewards_entitlement_changes_total.inc({ state });
      }
    }
  };
  const time = (changes: readonly RecipientChange[]) => {
    if (!isLive()) return;
    const nowMs = Date.now();
    for (const { version, cause } of changes.flatMap(({ published }) => published)) {
      if (version > 1 || !cause) continue;
      const delayMs = Math.max(0, nowMs - Date.parse(cause.receivedAt));
      metrics.tributary_rewards_reward_delay_seconds.observe(delayMs / 1_000);
    }
  };
  return {
    folded(changes, failed) {
      count(changes);
      time(changes);
      if (failed > 0) metrics.tributary_rewards_fold_failures_total.inc(failed);
    },
    released(changes, facts) {
      count(changes);
      metrics.tributary_rewards_issuances_total.inc(facts.length);
    },
    comparedClocks({ process, log, differ }) {
      if (differ) metrics.tributary_rewards_releases_stopped_by_clocks_total.inc();
      metrics.tributary_rewards_clock_skew_seconds.set({ against: 'process' }, process / 1_000);
      if (log === undefined)
        metrics.tributary_rewards_clock_skew_seconds.remove({ against: 'log' });
      else metrics.tributary_rewards_clock_skew_seconds.set({ against: 'log' }, log / 1_000);
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
    measured(`${help} ${ofAllReplicas}`, async () => (await backlog())[member]);
  createMetrics(registry, {
    tributary_rewards_recipients_due: rows('Recipients with something to release.', 'due'),
    tributary_rewards_recipients_owing: rows(
      'Recipients who got more than they may keep.',
      'owing',
    ),
    tributary_rewards_recipients_undecided: rows('Recipients whose fold threw.', 'undecided'),
    tributary_rewards_recipients_failing: rows('Recipients whose release failed.', 'failing'),
    tributary_rewards_in_review: rows('Rewards that wait for an operator.', 'review'),
    tributary_rewards_decisions_waiting: rows(
      'Decisions whose campaign revision is missing.',
      'waiting',
    ),
  });
}

/** @param readCheck undefined in a generation that is not live, whose ledger nobody checks. */
export function registerLedgerCheck(
  registry: MetricsRegistry,
  readCheck: () => Promise<LedgerCheck | undefined>,
): void {
  const look = sharedLook(readCheck);
  const rows = (help: string, member: keyof LedgerCheck) =>
    measuredRows(`${help} ${ofAllReplicas}`, [], async () => {
      const found = await look();
      return found === undefined ? [] : [{ labels: {}, value: found[member] }];
    });
  createMetrics(registry, {
    tributary_rewards_ledger_unbalanced_recipients: rows(
      'Recipients of whom totals, rewards and ledger disagreed when all were last compared.',
      'unbalanced',
    ),
    tributary_rewards_ledger_checked_timestamp_seconds: rows(
      'When that comparison began; 0 when there was none.',
      'checkedAtSeconds',
    ),
  });
}
