import { catalogCodec } from '@tributary/contracts/catalog-record';
import { codeCodec } from '@tributary/contracts/code-record';
import { decisionCodec } from '@tributary/contracts/decision-record';
import { eventCodec } from '@tributary/contracts/event-record';
import { type Topic, topicName } from '@tributary/contracts/topics';
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
import { postgresCheck } from '@tributary/runtime/postgres';
import type { KafkaSettings, PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import type { Router } from 'express';
import type pg from 'pg';
import { Registry } from 'prom-client';
import { readBacklog } from './adapters/postgres/backlog.ts';
import { countKnownDecisions, hasSentDecisions } from './adapters/postgres/known-decisions.ts';
import { catalogSource, codesSource, createApplyBatch, eventsSource } from './apply-batch.ts';
import { createDecideFacts } from './decide-facts.ts';
import type { Fold } from '@tributary/attribution-fold/fold-user';
import { createFigures, registerBacklog } from './figures.ts';
import { prepareDatabase } from './prepare-database.ts';
import { readFoldVersion } from './read-fold-version.ts';
import { createLiveState } from './state/live-state.ts';
import { stateRoutes } from './state/routes.ts';
import { createSweeper } from './sweeper.ts';
import { createTryEvent, tryRoute } from './try-event.ts';

export const service = 'attribution';
export const topicsRead: readonly Topic[] = ['events', 'codes', 'catalog'];
const topicsUsed: readonly Topic[] = [...topicsRead, 'attributions', 'deadLetters'];

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
  topics: TopicWiring;
  group: string;
  fold?: Fold;
};

/**
 * Starts everything that one generation runs. Stops are handed to `onStop` as things start, to be
 * run in reverse: first nothing new is read, last the connections close. Undefined: it is lost, and
 * nothing was read.
 */
export async function startGeneration(
  settings: GenerationSettings,
  options: { registry: pg.Pool; logger: Logger; onStop: OnStop },
): Promise<Generation | undefined> {
  const { registry, logger, onStop } = options;
  const { generation } = settings.topics;
  const metrics = createGenerationMetrics(service, generation);
  const figures = createFigures(metrics);

  const pool = await prepareDatabase(settings.postgres, logger);
  onStop('postgres', () => pool.end());
  const judgement = await judgeGeneration({
    pool: registry,
    kafka: createKafka({ settings: settings.kafka, clientId: service, logger }),
    logger,
    service,
    generation,
    topic: topicName('attributions', settings.topics),
    codec: decisionCodec,
    countKnown: (decisions) => countKnownDecisions(pool, decisions),
    hasSent: () => hasSentDecisions(pool),
    grantsTopic: topicName('issuances', settings.topics),
  });
  if (judgement === 'lost') return undefined;
  const { kafka, appender, nameOf } = await connectLog(settings, {
    service,
    topicsUsed,
    logger,
    onStop,
  });

  const relay = createRelay({ pool, appender, logger });
  await relay.start();
  onStop('relay', () => relay.stop());

  const foldVersion = await readFoldVersion(registry, generation);
  const decideOptions = {
    logger,
    foldVersion,
    attributionsTopic: nameOf('attributions'),
    figures,
    ...(settings.fold && { fold: settings.fold }),
  };
  const decideFacts = createDecideFacts(decideOptions);
  const sweeper = createSweeper({ pool, logger, decideFacts });
  const projection = createProjection({
    kafka,
    logger,
    pool,
    name: service,
    group: settings.group,
    sources: [
      source(eventsSource, nameOf('events'), eventCodec),
      source(codesSource, nameOf('codes'), codeCodec),
      source(catalogSource, nameOf('catalog'), catalogCodec),
    ],
    apply: createApplyBatch({ decideFacts, logger, figures }),
    deadLetterTopic: nameOf('deadLetters'),
    whenOlder: 'stand-still',
    onCommitted: (batch) => {
      if (batch[0] && batch[0].source !== eventsSource) sweeper.wake();
    },
  });
  await projection.start();
  onStop('projection', () => projection.stop());
  sweeper.start();
  onStop('sweeper', () => sweeper.stop());

  const uncounted = createFigures(new Registry());
  const quiet = createDryRunLogger(logger);
  const tried = createDecideFacts({ ...decideOptions, logger: quiet, figures: uncounted });
  const triedSweeper = createSweeper({ pool, logger: quiet, decideFacts: tried });
  const tryEvent = createTryEvent({
    pool,
    apply: createApplyBatch({ decideFacts: tried, logger: quiet, figures: uncounted }),
    refoldOwnPage: (tx) => triedSweeper.refoldPage(tx, 'own'),
    attributionsTopic: nameOf('attributions'),
  });

  registerBacklog(metrics, {
    readBacklog: () => readBacklog(pool),
    outboxPending: () => relay.pending(),
  });
  // What others ask of this generation; each list of routes is a line here.
  const liveState = createLiveState({
    generation,
    foldVersion,
    pool,
    postgres: settings.postgres,
    kafka,
    name: service,
    attributionsTopic: nameOf('attributions'),
  });
  const routes = [tryRoute(tryEvent), ...stateRoutes(liveState)];
  return {
    metrics,
    router: createInternalRouter(routes, { logger }),
    isIntact: () => projection.isIntact(),
    checks: {
      kafka: () => appender.health(),
      projection: () => projection.health(),
      outbox: () => relay.health(),
      postgres: postgresCheck(pool),
    },
  };
}
