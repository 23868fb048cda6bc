import { catalogCodec } from '@tributary/contracts/catalog-record';
import { decisionCodec } from '@tributary/contracts/decision-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { rewardCodec } from '@tributary/contracts/reward-record';
import { type Topic, topicName } from '@tributary/contracts/topics';
import { createCatchUp } from '@tributary/event-log/catch-up';
import { connectLog } from '@tributary/event-log/connect-log';
import { createKafka } from '@tributary/event-log/kafka';
import { createRelay } from '@tributary/event-log/outbox';
import { createProjection, source } from '@tributary/event-log/projection';
import { judgeGeneration } from '@tributary/generations/judge-generation';
import type { Checks } from '@tributary/http/admin-listener';
import { createInternalRouter } from '@tributary/http/internal-router';
import { createGenerationMetrics } from '@tributary/http/metrics';
import { createDryRunLogger } from '@tributary/runtime/dry-run';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { postgresCheck, type Tx } from '@tributary/runtime/postgres';
import type { KafkaSettings, PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import type { Router } from 'express';
import type pg from 'pg';
import { Registry } from 'prom-client';
import { actionRoutes } from './action-routes.ts';
import { createActOnRewards } from './act-on-rewards.ts';
import { readBacklog } from './adapters/postgres/backlog.ts';
import { countKnownRewards, hasSentRewards } from './adapters/postgres/known-rewards.ts';
import {
  catalogSource,
  createApplyBatch,
  decisionsSource,
  issuancesSource,
} from './apply-batch.ts';
import { createApplyDecisions } from './apply-decisions.ts';
import type { foldRecipient } from '@tributary/rewards-fold/fold-recipient';
import { createClockCheck } from './clock-check.ts';
import { createCountActions } from './count-actions.ts';
import { createFigures, registerBacklog } from './figures.ts';
import { createFoldFacts } from './fold-facts.ts';
import { prepareDatabase } from './prepare-database.ts';
import { createIsolatedRelease } from './isolate-release.ts';
import { createReleaseDue } from './release-due.ts';
import { createReleaseWorker } from './release-worker.ts';
import { createRevisions } from './revisions.ts';
import { createLiveState } from './state/live-state.ts';
import { stateRoutes } from './state/routes.ts';
import { createSweeper } from './sweeper.ts';
import { createTryDecisions, tryRoute } from './try-decisions.ts';

export const service = 'rewards';
export const topicsRead: readonly Topic[] = ['attributions', 'issuances', 'catalog'];
const topicsUsed: readonly Topic[] = [...topicsRead, 'rewards', 'deadLetters'];

/** One generation of this fold, with all that is its own. */
export type Generation = {
  checks: Checks;
  isIntact: () => Promise<boolean>;
  metrics: Registry;
  /** What others ask of it. */
  router: Router;
};

/** Names and wiring of this generation, see schemaOfGeneration. */
export type GenerationSettings = {
  kafka: KafkaSettings;
  postgres: PostgresSettings;
  issuanceSchema: string;
  generationsSchema: string;
  topics: TopicWiring;
  group: string;
  /** False: nothing is granted and no operator heard, whichever generation is live. */
  releases: boolean;
  /** Replaced only by tests that want a fold to throw. */
  fold?: typeof foldRecipient;
};

/**
 * Starts everything that one generation runs. Stops are handed to `onStop` as things start, to be
 * run in reverse: first nothing new is read or released, last the connections close. Undefined: it
 * is lost, and nothing was read.
 */
export async function startGeneration(
  settings: GenerationSettings,
  options: { registry: pg.Pool; logger: Logger; onStop: OnStop },
): Promise<Generation | undefined> {
  const { registry, logger, onStop } = options;
  const { topics } = settings;
  const metrics = createGenerationMetrics(service, topics.generation);
  const figures = createFigures(metrics);

  const pool = await prepareDatabase({ ...settings, logger });
  onStop('postgres', () => pool.end());
  const judgement = await judgeGeneration({
    pool: registry,
    kafka: createKafka({ settings: settings.kafka, clientId: service, logger }),
    logger,
    service,
    generation: topics.generation,
    topic: topicName('rewards', settings.topics),
    codec: rewardCodec,
    countKnown: (rewards) => countKnownRewards(pool, rewards),
    hasSent: () => hasSentRewards(pool),
  });
  if (judgement === 'lost') return undefined;
  const { kafka, appender, nameOf } = await connectLog(settings, {
    service,
    topicsUsed,
    logger,
    onStop,
  });

  const rewardsRelay = createRelay({ pool, appender, logger });
  await rewardsRelay.start();
  onStop('rewards relay', () => rewardsRelay.stop());
  const revisions = createRevisions();
  const foldOptions = {
    logger,
    revisions,
    rewardsTopic: nameOf('rewards'),
    figures,
    ...(settings.fold && { fold: settings.fold }),
  };
  const foldFacts = createFoldFacts(foldOptions);
  const countActions = createCountActions({ rewardsTopic: nameOf('rewards'), figures });
  const isIntact = (db?: Pick<Tx, 'query'>) => projection.isIntact(db);
  const timeOf = createClockCheck({
    logTime: () => appender.logTime(),
    onCompared: (skews) => figures.comparedClocks(skews),
  });
  const settlement = {
    timeOf,
    generation: topics.generation,
    isIntact,
    topics: { rewards: nameOf('rewards'), issuances: nameOf('issuances') },
    figures,
  };
  const worker = createReleaseWorker({
    logger,
    release: createIsolatedRelease({
      pool,
      logger,
      timeOf,
      releaseDue: createReleaseDue(settlement),
    }),
    // What was granted, and every later word on what was decided: a release before that could pay
    // again, or pay what a later decision has withdrawn.
    mayStart: () => caughtUp(),
  });
  const sweeper = createSweeper({
    pool,
    logger,
    revisions,
    foldFacts,
    onFolded: () => worker.wake(),
  });
  const projection = createProjection({
    kafka,
    logger,
    pool,
    name: service,
    group: settings.group,
    sources: [
      source(decisionsSource, nameOf('attributions'), decisionCodec),
      source(issuancesSource, nameOf('issuances'), issuanceCodec),
      source(catalogSource, nameOf('catalog'), catalogCodec),
    ],
    apply: createApplyBatch({
      applyDecisions: createApplyDecisions({ revisions, foldFacts }),
      foldFacts,
      countActions,
    }),
    deadLetterTopic: nameOf('deadLetters'),
    whenOlder: 'stand-still',
    onCommitted: (batch) => {
      if (batch[0]?.source === decisionsSource) worker.wake();
      if (batch[0]?.source === catalogSource) sweeper.wake();
    },
  });
  const caughtUp = createCatchUp({
    kafka,
    pool,
    name: service,
    projection,
    topics: [nameOf('issuances'), nameOf('attributions')],
  });
  await projection.start();
  onStop('projection', () => projection.stop());
  sweeper.start();
  onStop('sweeper', () => sweeper.stop());
  if (settings.releases) {
    worker.start();
    onStop('release worker', () => worker.stop());
  }

  const triedFold = createFoldFacts({
    ...foldOptions,
    logger: createDryRunLogger(logger),
    figures: createFigures(new Registry()),
  });
  const tryDecisions = createTryDecisions({
    pool,
    apply: createApplyBatch({
      applyDecisions: createApplyDecisions({ revisions, foldFacts: triedFold }),
      foldFacts: triedFold,
      countActions,
    }),
    rewardsTopic: nameOf('rewards'),
  });

  const actOnRewards = createActOnRewards({
    ...settlement,
    pool,
    mayAct: () => settings.releases && worker.hasReadLog(),
    onActed: () => worker.wake(),
  });

  registerBacklog(metrics, {
    readBacklog: () => readBacklog(pool),
    rewardsPending: () => rewardsRelay.pending(),
  });
  // What others ask of this generation; each list of routes is a line here.
  const liveState = createLiveState({
    generation: topics.generation,
    pool,
    postgres: settings.postgres,
    issuanceSchema: settings.issuanceSchema,
    kafka,
    name: service,
    issuancesTopic: nameOf('issuances'),
  });
  const routes = [tryRoute(tryDecisions), ...actionRoutes(actOnRewards), ...stateRoutes(liveState)];
  return {
    metrics,
    router: createInternalRouter(routes, { logger }),
    isIntact,
    checks: {
      kafka: () => appender.health(),
      projection: () => projection.health(),
      outbox: () => rewardsRelay.health(),
      releases: () => (settings.releases ? worker.health() : { ok: true, detail: 'off' }),
      postgres: postgresCheck(pool),
    },
  };
}
