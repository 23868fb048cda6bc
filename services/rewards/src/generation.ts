import { rewardCodec, type RewardRecord } from '@tributary/contracts/reward-record';
import type { Incoming } from '@tributary/event-log/projection';
import type {
  FoldContext,
  FoldParts,
  FoldPlan,
  ServedFoldSettings,
} from '@tributary/generations/serve-fold';
import type { foldRecipient } from '@tributary/rewards-fold/fold-recipient';
import type { Component } from '@tributary/runtime/component';
import { createDryRunLogger } from '@tributary/runtime/dry-run';
import { Registry } from 'prom-client';
import { actionRoutes } from './http/action-routes.ts';
import { createActOnRewards } from './commands/act-on-rewards.ts';
import { readBacklog } from './db/backlog.ts';
import { countKnownRewards, hasSentRewards } from './db/known-rewards.ts';
import { readLedgerCheck } from './db/ledger-check.ts';
import { catalogSource, createApplyBatch, decisionsSource } from './log/apply-batch.ts';
import { createApplyDecisions } from './log/apply-decisions.ts';
import { createClockCheck } from './db/clock-check.ts';
import { createCountActions } from './fold/count-actions.ts';
import {
  createRewardMetrics,
  type RewardMetrics,
  registerBacklog,
  registerLedgerCheck,
} from './metrics.ts';
import { createFoldFacts } from './fold/fold-facts.ts';
import { prepareDatabase } from './db/prepare-database.ts';
import { createIsolatedRelease } from './workers/isolate-release.ts';
import { createPartitionCount } from './workers/partition-count.ts';
import { createLedgerCheck } from './workers/ledger-check.ts';
import { createReleaseAlong, type ReleaseAlong } from './workers/release-along.ts';
import { createReleaseDue } from './workers/release-due.ts';
import { createReleaseInTurn } from './workers/release-in-turn.ts';
import { createReleaseWorker, type ReleaseWorker } from './workers/release-worker.ts';
import { createRevisions } from './fold/revisions.ts';
import { createLiveState } from './http/live-state.ts';
import { stateRoutes } from './http/state-routes.ts';
import { createSweeper } from './workers/sweeper.ts';
import { createTryDecisions, tryRoute } from './http/try-decisions.ts';

export type RewardsSettings = ServedFoldSettings & {
  issuanceSchema: string;
  /** False: nothing is granted and no operator heard, whichever generation is live. */
  releases: boolean;
  /** Replaced only by tests that want a fold to throw. */
  fold?: typeof foldRecipient;
};

/** What each generation runs. */
export const plan: FoldPlan<RewardsSettings, RewardRecord> = {
  service: 'rewards',
  reads: ['attributions', 'issuances', 'catalog'],
  readsFirst: ['catalog'],
  // Its own facts, which it counted when it granted.
  unhurried: { issuances: 250 },
  gatherMs: 20,
  traces: 'attributions',
  writes: 'rewards',
  codec: rewardCodec,
  countKnown: countKnownRewards,
  hasSent: hasSentRewards,
  sharedSchema: ({ issuanceSchema }) => issuanceSchema,
  prepare: (settings, logger) => prepareDatabase({ ...settings, logger }),
  build,
};

function build(context: FoldContext<RewardsSettings>): FoldParts {
  const { settings, pool, life } = context;
  const { logger } = life;
  const counted = createRewardMetrics(life.registry, context.isLive);
  registerBacklog(life.registry, () => readBacklog(pool));
  registerLedgerCheck(life.registry, async () =>
    context.isLive() ? readLedgerCheck(pool) : undefined,
  );
  const { worker, releaseAlong, actOnRewards } = createReleases(context, counted);
  const revisions = createRevisions();
  const rewardsTopic = context.nameOf('rewards');
  const countActions = createCountActions({ rewardsTopic, metrics: counted });
  const decisionPartitions = createPartitionCount({
    ...{ kafka: context.kafka, logger, topic: context.nameOf('attributions') },
  });
  const foldOptions = {
    logger,
    revisions,
    rewardsTopic,
    metrics: counted,
    decisionPartitions: () => decisionPartitions.count(),
    ...(settings.fold && { fold: settings.fold }),
  };
  const foldFacts = createFoldFacts(foldOptions);
  const sweeper = createSweeper({
    pool,
    logger,
    revisions,
    foldFacts,
    onFolded: () => worker.wake(),
  });
  const apply = (fold: typeof foldFacts) =>
    createApplyBatch({
      applyDecisions: createApplyDecisions({ revisions, foldFacts: fold }),
      foldFacts: fold,
      countActions,
    });
  // The same fold, of what is only tried: it is counted nowhere, and nothing is logged.
  const triedFold = createFoldFacts({
    ...foldOptions,
    logger: createDryRunLogger(logger),
    metrics: createRewardMetrics(new Registry(), () => false),
  });
  const tryDecisions = createTryDecisions({ pool, apply: apply(triedFold), rewardsTopic });
  const liveState = createLiveState({
    generation: settings.topics.generation,
    pool,
    postgres: settings.postgres,
    issuanceSchema: settings.issuanceSchema,
    kafka: context.kafka,
    name: plan.service,
    issuancesTopic: context.nameOf('issuances'),
  });
  const notReleasing: Component = { health: () => ({ ok: true, detail: 'off' }) };
  const applyBatch = apply(foldFacts);
  return {
    apply: (tx, batch) => {
      const fold = () => applyBatch(tx, batch);
      return batch[0]?.source === decisionsSource ? releaseAlong(tx, batch, fold) : fold();
    },
    onCommitted(batch: readonly Incoming[]) {
      if (batch[0]?.source === catalogSource) sweeper.wake();
    },
    workers: {
      sweeper,
      releases: settings.releases ? worker : notReleasing,
      'decision-partitions': decisionPartitions,
      'ledger-check': createLedgerCheck({ pool, logger, isLive: context.isLive }),
    },
    routes: [tryRoute(tryDecisions), ...actionRoutes(actOnRewards), ...stateRoutes(liveState)],
  };
}

/** What pays, on its own and when an operator acts: by one clock, in the live generation. */
function createReleases(
  context: FoldContext<RewardsSettings>,
  counted: RewardMetrics,
): {
  worker: ReleaseWorker;
  releaseAlong: ReleaseAlong;
  actOnRewards: ReturnType<typeof createActOnRewards>;
} {
  const { settings, pool, appender, nameOf, isIntact, catchUpWith, betweenBatches } = context;
  const { logger } = context.life;
  const timeOf = createClockCheck({
    logTime: () => appender.logTime(),
    onCompared: (skews) => counted.comparedClocks(skews),
  });
  const settlement = {
    timeOf,
    generation: settings.topics.generation,
    isIntact,
    topics: { rewards: nameOf('rewards'), issuances: nameOf('issuances') },
    metrics: counted,
  };
  const releaseDue = createReleaseDue(settlement);
  const release = createIsolatedRelease({ pool, logger, timeOf, releaseDue });
  const decisions = nameOf('attributions');
  const worker = createReleaseWorker({
    logger,
    release: createReleaseInTurn({
      release,
      betweenBatches: (work) => betweenBatches(decisions, work),
    }),
    // What was granted, and every later action on what was decided: a release before that could pay
    // again, or pay what a later decision has withdrawn.
    mayStart: catchUpWith('issuances', 'attributions'),
  });
  const releaseAlong = createReleaseAlong({
    logger,
    generation: settings.topics.generation,
    releaseDue,
    isReleasing: () => settings.releases && worker.isReleasing(),
    wake: () => worker.wake(),
  });
  const actOnRewards = createActOnRewards({
    ...settlement,
    pool,
    mayAct: () => settings.releases && worker.hasReadLog(),
    onActed: () => worker.wake(),
  });
  return { worker, releaseAlong, actOnRewards };
}
