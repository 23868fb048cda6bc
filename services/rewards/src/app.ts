import { catalogCodec } from '@tributary/contracts/catalog-record';
import { decisionCodec } from '@tributary/contracts/decision-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import type { Topic } from '@tributary/contracts/topics';
import { createCatchUp } from '@tributary/event-log/catch-up';
import { connectLog } from '@tributary/event-log/connect-log';
import { createRelay } from '@tributary/event-log/outbox';
import { createProjection, source } from '@tributary/event-log/projection';
import { type Checks, startAdminListener } from '@tributary/http/admin-listener';
import { createInternalRouter } from '@tributary/http/internal-router';
import { createRegistry } from '@tributary/http/metrics';
import { systemClock } from '@tributary/runtime/clock';
import { createDryRunLogger } from '@tributary/runtime/dry-run';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { postgresCheck } from '@tributary/runtime/postgres';
import type { KafkaSettings, PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import { Registry } from 'prom-client';
import { actionRoutes } from './action-routes.ts';
import { createActOnRewards } from './act-on-rewards.ts';
import { readBacklog } from './adapters/postgres/backlog.ts';
import {
  catalogSource,
  createApplyBatch,
  decisionsSource,
  issuancesSource,
} from './apply-batch.ts';
import { createApplyDecisions } from './apply-decisions.ts';
import type { foldRecipient } from '@tributary/rewards-fold/fold-recipient';
import { createCountActions } from './count-actions.ts';
import { createFigures, registerBacklog } from './figures.ts';
import { createFoldFacts } from './fold-facts.ts';
import { prepareDatabase } from './prepare-database.ts';
import { createIsolatedRelease } from './isolate-release.ts';
import { createReleaseDue } from './release-due.ts';
import { createReleaseWorker } from './release-worker.ts';
import { createRevisions } from './revisions.ts';
import { createSweeper } from './sweeper.ts';
import { createTryDecisions, tryRoute } from './try-decisions.ts';

export type RewardsSettings = {
  host: string;
  adminPort: number;
  kafka: KafkaSettings;
  postgres: PostgresSettings;
  issuanceSchema: string;
  topics: TopicWiring;
  group: string;
  /** Accepted from other services, on the admin listener. */
  internalTokens: readonly string[];
  /** False for a shadow generation. */
  releases: boolean;
  /** Replaced only by tests that want a fold to throw. */
  fold?: typeof foldRecipient;
};

const service = 'rewards';
const topicsUsed: readonly Topic[] = [
  'attributions',
  'issuances',
  'catalog',
  'rewards',
  'deadLetters',
];

/**
 * Builds and starts the service. Stops are handed to `onStop` as things start, to be run in
 * reverse: first nothing new is read or released, last the connections close.
 */
export async function startRewards(
  settings: RewardsSettings,
  { logger, onStop }: { logger: Logger; onStop: OnStop },
): Promise<{ adminPort: number }> {
  const { topics } = settings;
  const registry = createRegistry(service);
  const figures = createFigures(registry);

  const pool = await prepareDatabase({ ...settings, logger });
  onStop('postgres', () => pool.end());
  const { kafka, appender, nameOf } = await connectLog({
    settings: settings.kafka,
    service,
    topics: settings.topics,
    topicsUsed,
    logger,
    onStop,
  });
  const rewardsRelay = createRelay({ pool, appender, logger });
  await rewardsRelay.start();
  onStop('rewards relay', () => rewardsRelay.stop());
  // At a swap the old generation may relay beside the new one for a moment. That only sends a fact
  // twice, and facts carry their own id.
  const issuancesRelay = createRelay({ pool, appender, logger, table: 'issuance_outbox' });
  if (settings.releases) {
    await issuancesRelay.start();
    onStop('issuances relay', () => issuancesRelay.stop());
  }

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
  const settlement = {
    clock: systemClock,
    generation: topics.generation,
    topics: { rewards: nameOf('rewards'), issuances: nameOf('issuances') },
    figures,
  };
  const worker = createReleaseWorker({
    logger,
    release: createIsolatedRelease({
      pool,
      logger,
      clock: systemClock,
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

  registerBacklog(registry, {
    readBacklog: () => readBacklog(pool),
    rewardsPending: () => rewardsRelay.pending(),
    issuancesPending: () => issuancesRelay.pending(),
  });
  const checks: Checks = {
    kafka: () => appender.health(),
    projection: () => projection.health(),
    outbox: () => rewardsRelay.health(),
    releases: () => (settings.releases ? worker.health() : { ok: true, detail: 'off' }),
    'issuance-outbox': () => issuancesRelay.health(),
    postgres: postgresCheck(pool),
  };
  const adminPort = await startAdminListener({
    service,
    registry,
    checks,
    internal: {
      tokens: settings.internalTokens,
      router: createInternalRouter([tryRoute(tryDecisions), ...actionRoutes(actOnRewards)], {
        logger,
      }),
    },
    host: settings.host,
    port: settings.adminPort,
    logger,
    onStop,
  });
  return { adminPort };
}
